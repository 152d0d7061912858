import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { frames, gif, png } from '../support/pictures.ts'
import { picture } from '../support/real-images.ts'
import { password } from '../support/service.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const sample = (name: string) => readFileSync(join(import.meta.dirname, '../../samples', name))
const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })
const [dusk, snow, asleep] = ['fox/fox-at-dusk.png', 'fox/fox-in-snow.png', 'fox/fox-asleep.png'].map(sample) as [
  Buffer,
  Buffer,
  Buffer,
]

describe('Images in the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  let token: string
  const upload = (name: string, body: Buffer, type = 'image/png') =>
    stage.service.request('POST', `/admin/s3/upload?bucketName=images&objectName=${encodeURIComponent(name)}`, {
      token,
      headers: { 'content-type': type },
      body,
    })
  const stored = (name: string) => stage.service.request('HEAD', `/i/${name}`)
  const shows = async (page: Page, names: string) =>
    until(async () => (await page.locator('.tile-name').allTextContents()).join() === names, names)
  const row = (page: Page, name: string) => page.locator('.upload-list li', { hasText: name })

  before(async () => {
    stage = await openConsoleStage({ env: { CHOOSE_IMAGES_ONLY: 'true' } })
    const warden = { username: 'warden', role: 'admin', password }
    const keeper = (await stage.service.login('keeper')).body.accessToken
    await stage.service.request('POST', '/admin/user/create', { token: keeper, body: warden })
    token = (await stage.service.login('warden')).body.accessToken
    await upload('fox/dusk.png', dusk)
    await upload('fox/tall.png', png(700, 900))
    await upload('fox/moving.png', png(400, 300, frames(3)))
    await upload('fox/large.gif', gif(640, 480, Buffer.alloc(2_100_000)), 'image/gif')
    await stage.service.register('visitor')
  })

  it('are loaded again after a passing failure, and called damaged only after the second', async () => {
    const { page } = await stage.open('/overview')
    let loads = 0
    await page.route('**/i/fox/dusk.png?*', (route) => {
      const isFirst = route.request().method() === 'GET' && loads++ === 0
      return isFirst ? route.abort() : route.continue()
    })
    await page.evaluate("location.hash = '/images?kind=fox&q=dusk'")
    const isShown = `document.querySelector('.tile-picture img')?.naturalWidth > 0`
    await until(async () => loads === 2 && (await page.evaluate<boolean>(isShown)), 'the second load')
    assert.equal(await page.getByText('Damaged').count(), 0)
    await page.close()
  })

  it('are found by kind, text and filters, which the address keeps, and load in the size in which they are shown', async () => {
    const { page, complaints } = await stage.open('/images')
    await page.getByRole('link', { name: 'fox 4 images' }).waitFor()
    await shows(page, 'dusk.png,large.gif,moving.png,tall.png')
    // Only dusk.png has pixels that can be resized.
    await page.getByRole('button', { name: 'Show 2.1 MB of fox/large.gif' }).waitFor()
    const requested = async () =>
      (await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)"))
        .map((url) => new URL(url))
        .filter(({ pathname }) => pathname.startsWith('/i/fox/'))
    await until(async () => new Set((await requested()).map(({ pathname }) => pathname)).size === 4, 'four thumbnails')
    // No browser can decode the others, which have a head and no pixels.
    await until(async () => (await page.getByText('Damaged').count()) === 2, 'two damaged files')
    for (const { pathname, search } of await requested())
      if (pathname.endsWith('/dusk.png')) assert.match(search, /^\?v=\w+&w=\d+&format=auto$/)
    assert.match(
      (await page.locator('.tile-picture img').first().getAttribute('srcset')) ?? '',
      /&w=640&format=auto 640w$/,
    )
    await page.getByLabel('Name or tag').fill('LL.')
    await shows(page, 'tall.png')
    await page.waitForURL(/q=LL\./)
    await page.getByLabel('Name or tag').fill('')
    await shows(page, 'dusk.png,large.gif,moving.png,tall.png')
    await page.getByText('More filters').click()
    await page.getByLabel('Sort').selectOption('newest')
    await page.getByLabel('Orientation').selectOption('portrait')
    await shows(page, 'tall.png')
    await page.waitForURL(/sort=newest&orientation=portrait/)
    await page.getByLabel('Orientation').selectOption('')
    await page.getByLabel('Animation').selectOption('true')
    await shows(page, 'moving.png')
    await page.getByLabel('Minimum width').selectOption('3840')
    await page.getByText('No image matches.').waitFor()
    await page.getByLabel('Minimum width').selectOption('')
    await page.getByLabel('Animation').selectOption('')
    await page.locator('.tile').nth(3).waitFor()
    await assertNoBarriers(page)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('that the service does not answer yet are waited for in silence, as long as it asks', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/reports')
    let refused = 0
    await page.clock.install()
    await page.route('**/i/fox/**', (route) => {
      refused++
      return route.fulfill({ status: 429, headers: { 'Retry-After': '30' }, body: '{}' })
    })
    // What this page has loaded it would take from memory.
    await page.reload()
    await page.evaluate('location.hash = "/images?kind=fox"')
    await page.locator('.tile').first().waitFor()
    await until(() => refused === 8, 'four pictures, and a question why each failed')
    await page.clock.runFor(2_000)
    const before = refused
    await page.clock.runFor(20_000)
    assert.equal(refused, before)
    assert.equal(await page.getByText('Cannot be shown').count(), 0)
    await page.unroute('**/i/fox/**')
    await page.clock.runFor(30_000)
    await page.locator('.tile-picture img').nth(2).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are uploaded, unless the name is taken, the bytes are known, or no image may have the name', async () => {
    const { page, complaints } = await stage.open('/images?kind=bird')
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('owl.png', snow),
        file('owl-again.png', snow),
        file('<img src=x onerror=alert(1)>.png', asleep),
        file('\u202egnp.exe', png(7, 7)),
        file('owl-plain', png(8, 8), ''),
        file('owl-unknown.PNG', png(9, 9), ''),
      ])
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['<html>'], 'page.png', { type: 'text/html' }))
      dispatchEvent(new DragEvent('drop', { dataTransfer }))
    }`)
    await row(page, 'page.png').getByText('This is not an image.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Retry/ }).count(), 0, 'it would be refused again')
    await row(page, 'page.png').getByRole('button', { name: 'Dismiss' }).click()
    await row(page, 'page.png').waitFor({ state: 'detached' })
    await row(page, 'onerror').getByRole('button', { name: 'Upload as img-src-x-onerror-alert-1.png' }).click()
    await row(page, 'exe').getByRole('button', { name: 'Skip' }).click()
    await row(page, 'owl-plain').getByText('does not say what kind of image it is').waitFor()
    await row(page, 'owl-plain').getByRole('button', { name: 'Upload as owl-plain.png' }).click()
    // Either of the two may be the second.
    await page.getByText('Duplicate: the same bytes as bird/owl').waitFor()
    await assertNoBarriers(page)
    await page.getByRole('button', { name: 'Upload anyway' }).click()
    await page.getByText('5 of 6 stored').waitFor()
    for (const name of ['owl-plain.png', 'owl-unknown.PNG'])
      assert.equal((await stored(`bird/${name}`)).headers.get('content-type'), 'image/png')
    assert.equal((await stored('bird/img-src-x-onerror-alert-1.png')).status, 200)

    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Clear finished' }).click()
    await page.getByRole('link', { name: 'Images', exact: true }).click()
    await page.getByRole('link', { name: /^bird/ }).click()
    await page.locator('input[type=file]').setInputFiles([file('owl.png', dusk)])
    await row(page, 'owl.png').getByText('already exists').waitFor()
    await row(page, 'owl.png').getByText('same bytes as fox/dusk.png').waitFor()
    await page.locator('input[type=file]').setInputFiles([file(`${'a'.repeat(160)}.png`, dusk)])
    await row(page, 'aaa').getByText('it is too long').waitFor()
    await page.getByRole('button', { name: 'Overwrite 1 image' }).waitFor()
    await page.getByRole('button', { name: 'Upload 1 under the new name' }).click()
    // Under its better name it is asked about again, as a duplicate.
    await row(page, 'aaa').getByText('same bytes as').waitFor()
    await row(page, 'owl.png').getByText('already exists').waitFor()
    await row(page, 'aaa').getByRole('button', { name: 'Skip' }).click()
    // Somebody else is faster, so the console asks again.
    await upload('bird/owl.png', png(3, 3))
    await row(page, 'owl.png').getByRole('button', { name: 'Overwrite' }).click()
    await row(page, 'owl.png').getByText('stored', { exact: true }).waitFor({ state: 'detached' })
    await row(page, 'owl.png').getByRole('button', { name: 'Overwrite' }).click()
    await row(page, 'owl.png').getByText('stored', { exact: true }).waitFor()
    assert.equal((await stored('bird/owl.png')).headers.get('content-length'), String(dusk.length))
    // Both wait for a decision: there is nothing yet that a link could open.
    const held: Route[] = []
    await page.route('**/duplicates?*', (route) => held.push(route))
    await page.locator('input[type=file]').setInputFiles([file('one.png', dusk), file('other.png', dusk)])
    await until(() => held.length === 2)
    await Promise.all(held.map((route) => route.continue()))
    await page.getByText(/^Duplicate: the same bytes as bird\/(one|other)\.png, another of these files$/).waitFor()
    await until(async () => (await page.locator('.same-as', { hasText: 'fox/dusk.png' }).count()) === 3)
    assert.equal(await page.locator('.same-as', { hasText: /one|other/ }).count(), 0)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are told apart from those that end early, and from objects that are never chosen: at the upload, and in a list', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/images?kind=pat')
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('words.png', Buffer.from('just words')),
        file('empty.png', Buffer.alloc(0)),
        file('cut.png', png(40, 40).subarray(0, -5)),
      ])
    await row(page, 'empty.png').getByText('The file is empty.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Retry/ }).count(), 0)
    await row(page, 'words.png').getByText('does not begin as an image of a known type').waitFor()
    await row(page, 'cut.png').getByText('It ends early: a part of the image is missing').waitFor()
    await row(page, 'cut.png').getByRole('button', { name: 'Upload anyway' }).click()
    await row(page, 'cut.png').getByText('Warning: it ends early').waitFor()
    // The page would forget the file that waits for an answer.
    const [question] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    assert.equal(question.type(), 'beforeunload')
    await question.dismiss()
    await row(page, 'words.png').getByRole('button', { name: 'Upload anyway' }).click()
    await row(page, 'words.png').getByText('Warning: never chosen at random').waitFor()
    await page.getByText('1 object is never chosen').click()
    await page.getByText('pat/words.png: not an image by its first bytes').waitFor()
    // A browser shows the half of a PNG, and of a WebP nothing.
    const webp = await picture('webp', 200, 150)
    assert.equal((await upload('pat/cut.webp', webp.subarray(0, webp.length >> 1), 'image/webp')).status, 200)
    await page.reload()
    await page.getByText('Damaged: pat/cut.webp cannot be decoded').waitFor()
    await assertNoBarriers(page)
    // From its cache, a browser may show a part of such an image as if it were whole.
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.evaluate("location.hash = '/images?kind=fox'")
    await page.getByRole('button', { name: 'dusk.png', exact: true }).waitFor()
    await page.evaluate("location.hash = '/images?kind=pat'")
    await page.getByText('Damaged: pat/cut.webp cannot be decoded').waitFor()
    assert.deepEqual(
      asked.filter((url) => url.includes('cut.webp')),
      [],
    )
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('continue to upload on their own once the service is back, and failed ones on request', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/images?kind=hug')
    await page.context().setOffline(true)
    await page.locator('input[type=file]').setInputFiles([file('one.png', png(1, 1)), file('two.png', png(2, 1))])
    await page.getByText('goes on by itself').waitFor()
    await page.context().setOffline(false)
    await page.getByText('2 of 2 stored').waitFor()
    const path = '**/admin/s3/upload*'
    await page.route(path, (route) => route.abort())
    await page.locator('input[type=file]').setInputFiles([file('three.png', png(3, 1)), file('four.png', png(4, 1))])
    await page.getByText('2 failed').waitFor()
    await page.unroute(path)
    await page.getByRole('button', { name: 'Retry all failed' }).click()
    await page.getByText('4 of 4 stored').waitFor()
    await page.getByRole('link', { name: 'hug 4 images' }).waitFor()
    await page.close()
  })

  it('wait for their uploader to sign in again, and are not uploaded by any other user', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/images?kind=smug')
    const add = (name: string) =>
      page.locator('input[type=file]').setInputFiles([file(name, png(5, name.length), 'image/png')])
    await page.locator('input[type=file]').waitFor({ state: 'attached' })
    await stage.endSessions('keeper')
    await add('later.png')
    await page.getByText('1 upload waits until you sign in again').waitFor()
    await assertNoBarriers(page, [390])
    await signIn(page, 'keeper')
    await page.getByText('1 of 1 stored').waitFor()
    await stage.endSessions('keeper')
    await add('never.png')
    await page.getByText('1 upload waits until you sign in again').waitFor()
    await signIn(page, 'visitor')
    await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' })
    assert.deepEqual([(await stored('smug/later.png')).status, (await stored('smug/never.png')).status], [200, 404])
    await page.close()
  })

  it('are deleted once that is confirmed, unless another version was stored, and the list says why', {
    skip: noBrowserUnlessFull,
  }, async () => {
    for (const name of ['kept.png', 'changed.png', 'gone.png']) await upload(`kiss/${name}`, png(9, name.length))
    const { page, complaints } = await stage.open('/images?kind=kiss')
    await page.getByRole('button', { name: 'kept.png', exact: true }).click()
    await page.getByRole('button', { name: 'More acts' }).focus()
    await page.keyboard.press('Enter')
    await assertNoBarriers(page, [390])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More acts' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('This is final').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Select changed.png').click()
    await page.getByLabel('Select kept.png').click({ modifiers: ['Shift'] })
    await page.getByText('3 images selected').waitFor()
    await page.getByLabel('Select kept.png').click()
    await upload('kiss/changed.png', png(10, 10))
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await assertNoBarriers(page, [390])
    await page.getByRole('button', { name: 'Delete 2 images' }).click()
    await page.getByText('1 image could not be deleted').waitFor()
    await page.getByText('kiss/gone.png has been deleted').waitFor()
    await page.getByRole('alert').getByText('kiss/changed.png').waitFor()
    await stage.service.request('POST', '/admin/images/hide', { token, body: { name: 'kiss/kept.png' } })
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
    await page.getByLabel('Select kept.png').click()
    await page.getByText('2 images selected').waitFor()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByText('kiss/kept.png: Image is already hidden').waitFor()
    await page.getByText('2 images selected').waitFor({ state: 'detached' })
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
    assert.equal(await page.getByText(/images? selected/).count(), 0)
    for (const name of ['kiss/kept.png', 'kiss/changed.png'])
      await stage.service.request('POST', '/admin/images/unhide', { token, body: { name } })
    assert.deepEqual([(await stored('kiss/kept.png')).status, (await stored('kiss/gone.png')).status], [200, 404])
    assert.equal((await stored('kiss/changed.png')).status, 200)
    await page.reload()
    await page.getByLabel('Select changed.png').click()
    await stage.service.request('DELETE', '/admin/s3/delete', {
      token,
      body: { bucketName: 'images', objectName: 'kiss/changed.png' },
    })
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete 1 image' }).click()
    await page.getByText('kiss/changed.png: The image was deleted, moved or hidden meanwhile.').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are hidden and moved, one or all that match, and put back by Undo or from the list of hidden ones', {
    skip: noBrowserUnlessFull,
  }, async () => {
    for (const name of ['b', 'c']) await upload(`smug/${name}.png`, png(4, 4))
    await upload('smug/a.png', dusk)
    const { page, complaints } = await stage.open('/images?kind=smug')
    const fetched: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/bytes')) fetched.push(request.url())
    })
    await page.getByLabel('Name or tag').fill('b')
    await shows(page, 'b.png')
    await page.getByLabel('Select b.png').click()
    await page.getByLabel('Name or tag').fill('c')
    await page.getByLabel('Select c.png').waitFor()
    await page.getByText('1 image selected, not shown here').waitFor()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText('1 image selected', { exact: true }).waitFor()
    assert.ok(await page.getByLabel('Select c.png').isChecked())
    await page.getByLabel('Name or tag').fill('')
    await page.getByLabel('Select b.png').waitFor()
    const count = await page.locator('.tile').count()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText(`${count} images selected`).waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('button', { name: 'a.png', exact: true }).click()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByText('smug/a.png has been hidden').waitFor()
    assert.equal((await stored('smug/a.png')).status, 404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The change to smug/a.png has been undone').waitFor()
    assert.equal((await stored('smug/a.png')).status, 200)
    await page.getByLabel('Select a.png').click()
    await page.getByLabel('Select b.png').click()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByText('2 images have been hidden').waitFor()
    await page.getByText('2 hidden images, across all kinds').waitFor()
    assert.deepEqual(fetched, [], 'no picture before the list is opened')
    await page.getByText('2 hidden images, across all kinds').click()
    await page.getByRole('img', { name: 'smug/a.png' }).waitFor()
    const isShown = `document.querySelector('.image-rows img')?.naturalWidth === 480`
    await until(() => page.evaluate<boolean>(isShown), 'the picture of the hidden image')
    await page.locator('.image-rows').getByText('Damaged smug/b.png').waitFor()
    assert.equal(fetched.length, 2)
    await assertNoBarriers(page, [390])
    await page.getByRole('button', { name: 'Show again smug/a.png' }).click()
    await page.getByText('smug/a.png is no longer hidden').waitFor()
    await page.getByLabel('Select a.png').click()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByLabel('To the kind').selectOption('smug')
    await assertNoBarriers(page, [390])
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('Choose another kind, or another file name.').waitFor()
    await page.getByLabel('To the kind').selectOption('hug')
    await page.getByLabel('File name').fill('re named.png')
    const said = await page.evaluate(`document.querySelector('[name=file]').validationMessage`)
    assert.equal(said, 'Letters, digits, dots, hyphens and underscores.')
    await page.getByLabel('File name').fill('renamed.png')
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await page.getByText('smug/a.png has been moved').waitFor()
    assert.deepEqual([(await stored('smug/a.png')).status, (await stored('hug/renamed.png')).status], [404, 200])
    await page.getByRole('listitem').filter({ hasText: 'has been moved' }).getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await stored('smug/a.png')).status === 200, 'the image to be back')
    await until(async () => (await stored('hug/renamed.png')).status === 404, 'the moved one to go')
    const hide = (name: string) => stage.service.request('POST', '/admin/images/hide', { token, body: { name } })
    await hide('smug/a.png')
    await upload('smug/d.png', dusk)
    await hide('smug/d.png')
    await page.reload()
    await page.getByText('3 hidden images, across all kinds').click()
    await page.getByRole('button', { name: 'Delete… smug/d.png' }).click()
    await page.getByRole('dialog').getByText('This is final').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete image' }).click()
    await page.getByText('Deleted smug/d.png').waitFor()
    await page.getByRole('button', { name: 'Delete… smug/a.png' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete… smug/d.png' }).count(), 0)
    const bytes = () => stage.service.request('GET', '/admin/images/smug/d.png/bytes', { token })
    assert.equal((await bytes()).status, 404)
    await page.getByRole('button', { name: 'Free the name smug/d.png' }).click()
    await page.getByText('2 hidden images, across all kinds').waitFor()
    await page.reload()
    await page.getByText('2 hidden images, across all kinds').click()
    await page.getByRole('button', { name: 'Select all hidden' }).click()
    await page.getByRole('button', { name: 'Show again… the selected images' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show again' }).click()
    await page.getByText('2 images have been shown again').waitFor()
    for (const name of ['smug/a.png', 'smug/b.png']) assert.equal((await stored(name)).status, 200)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are downloaded as one archive', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/images?kind=fox')
    await page.getByLabel('Select dusk.png').click()
    await page.getByLabel('Select tall.png').click()
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'fox.zip')
    const archive = readFileSync(await download.path())
    assert.ok(archive.includes(dusk))
    assert.ok(archive.includes(png(700, 900)))
    assert.ok(archive.includes('dusk.png') && archive.includes('tall.png'))
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('have links to copy and can be reported by every user; only administrators see administrative actions', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/images?kind=fox', { username: 'visitor' })
    await page.getByRole('button', { name: 'dusk.png', exact: true }).focus()
    await page.keyboard.press('Enter')
    const url = await page.getByLabel('Link', { exact: true }).inputValue()
    assert.match(url, /^http.*\/i\/fox\/dusk\.png$/)
    assert.equal(await page.getByLabel('Markdown').inputValue(), `![dusk](${url})`)
    assert.equal(await page.getByLabel('HTML').inputValue(), `<img src="${url}" alt="dusk" width="480" height="360">`)
    // Back closes it, and its address opens it.
    await page.waitForURL(/image=fox%2Fdusk\.png/)
    const address = page.url()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL(/#\/images\?kind=fox$/)
    const dialog = page.getByRole('dialog', { name: 'fox/dusk.png' })
    await page.goForward()
    await dialog.waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    // In the same document, and in a new one.
    for (const from of [page.url(), 'about:blank']) {
      await page.goto(from)
      await page.goto(address)
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.waitForURL(/#\/images\?kind=fox$/)
    }
    await page.goto(address.replace('dusk', 'none'))
    const missing = page.getByRole('alert').getByText(/^There is no image “fox\/none.png” here: it was deleted, moved/)
    await missing.waitFor()
    await assertNoBarriers(page, [390])
    await page.goto(address.replace('kind=fox', 'kind=hug'))
    await page.getByRole('alert').getByText('There is no image “fox/dusk.png” here').waitFor()
    await page.goto(address.replace(/&image=.*/, ''))
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.goto(address.replace(/kind=fox.*/, 'kind=nope'))
    await page.getByText(/^There is no kind “nope”\. This is \w+\.$/).waitFor()
    await page.goto(address.replace(/\?.*/, ''))
    await page.getByText(/There is no kind/).waitFor({ state: 'detached' })
    for (const kind of [/^bird/, /^fox/]) await page.getByRole('link', { name: kind }).click()
    assert.equal(await page.getByText(/There is no kind|IMAGE_KINDS_EXTRA/).count(), 0)
    await page.getByRole('button', { name: 'dusk.png', exact: true }).click()
    await page.getByRole('button', { name: 'Report' }).click()
    await page.keyboard.type('No fox')
    await page.getByRole('button', { name: 'Send report' }).click()
    await page.getByText('fox/dusk.png has been reported').waitFor()
    await page.getByRole('button', { name: 'Report' }).click()
    await page.keyboard.type('again')
    await page.getByRole('button', { name: 'Send report' }).click()
    await page.getByRole('alert').getByText('You have already reported this image').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Press Escape again to discard what you have written.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByText('Press × again to discard what you have written.').waitFor()
    const reason = page.getByRole('textbox', { name: 'What is wrong with it?' })
    await reason.fill('again!')
    await page.goBack()
    await page.getByText('Go back again to discard what you have written.').waitFor()
    assert.equal(await reason.inputValue(), 'again!')
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL(/#\/images(\?(?!.*image=).*)?$/)
    assert.equal(await page.getByRole('button', { name: /Delete|Test store/ }).count(), 0)
    assert.equal(await page.locator('input[type=file]').count(), 0)
    await page.getByRole('button', { name: 'Create embed link' }).click()
    const { promise: held, resolve: hold } = Promise.withResolvers<Route>()
    await page.route('**/auth/embed', hold)
    await page.getByLabel('Without tags').fill('red')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const creating = await held
    await page.keyboard.press('Escape')
    const question = page.getByText('Press Escape again to close this. What you have written is being sent')
    await question.waitFor()
    await creating.continue()
    await page.getByLabel('Markdown').waitFor()
    await question.waitFor({ state: 'detached' })
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('get their details in the dialog, which refuses what is invalid and uses them in what is copied', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await upload('slap/a.png', png(5, 5))
    const { page, complaints } = await stage.open('/images?kind=slap')
    await page.getByRole('link', { name: 'IMAGE_KINDS_EXTRA' }).waitFor()
    await page.getByRole('button', { name: 'a.png', exact: true }).click()
    await page.getByRole('button', { name: 'Edit details' }).click()
    await page.getByLabel('Alternative text').fill('A "fox" [asleep]')
    await page.getByLabel('Source').fill('https://example.org/fox')
    await page.getByLabel('Tags').fill('r_d')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByRole('alert').getByText('The tag “r_d” must be 1 to 32 of the characters a-z, 0-9 and -.').waitFor()
    await page.getByLabel('Tags').fill('snow, Red')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByText('The details of slap/a.png have been saved').waitFor()
    await page.getByText('red, snow').waitFor()
    await page.getByRole('link', { name: 'https://example.org/fox' }).waitFor()
    assert.match(await page.getByLabel('HTML').inputValue(), /alt="A &quot;fox&quot; \[asleep\]"/)
    assert.match(await page.getByLabel('Markdown').inputValue(), /^!\[A "fox" \\\[asleep\\\]\]/)
    await assertNoBarriers(page)
    await page.getByRole('button', { name: 'Edit details' }).click()
    await page.getByLabel('Artist').fill('Nobody')
    await page.keyboard.press('Escape')
    await page.getByText('Press Escape again to discard what you have written.').waitFor()
    await page.getByLabel('Artist').fill('')
    // Somebody else is writing too.
    await stage.service.request('PATCH', '/admin/images/slap/a.png', { token, body: { title: 'Asleep' } })
    await page.getByLabel('Alternative text').fill('')
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByRole('definition').filter({ hasText: 'A "fox"' }).waitFor({ state: 'detached' })
    const { body } = await stage.service.request('GET', '/images/slap/a.png', { token })
    assert.deepEqual([body.alt, body.source, body.tags], [undefined, 'https://example.org/fox', ['red', 'snow']])
    assert.equal(body.title, 'Asleep')
    await page.getByRole('link', { name: 'Audit events' }).click()
    await page.getByRole('rowheader', { name: 'describe' }).first().waitFor()
    assert.equal(await page.getByLabel('Target').inputValue(), 'images/slap/a.png')
    await page.getByText('A whole username or id; for an image, images/fox/a.png.').waitFor()
    await page.getByLabel('From', { exact: true }).fill('2030-01-02')
    await page.getByLabel('To', { exact: true }).fill('2030-01-01')
    await page.getByRole('alert').getByText('The start must not be after the end.').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('get details together when several are selected, of which one may be gone and one refused', {
    skip: noBrowserUnlessFull,
  }, async () => {
    for (const name of ['a', 'b', 'c', 'd']) await upload(`pat/${name}.png`, png(5, 5))
    const detailsOf = async (name: string) =>
      (await stage.service.request('GET', `/images/pat/${name}.png`, { token })).body
    const patch = (name: string, body: object) =>
      stage.service.request('PATCH', `/admin/images/pat/${name}.png`, { token, body })
    const { page, complaints } = await stage.open('/images?kind=pat')
    for (const name of ['a', 'b', 'c', 'd']) await page.getByLabel(`Select ${name}.png`).click()
    await page.getByLabel('Select d.png').click()
    await page.getByText('3 images selected').waitFor()
    assert.ok(await page.getByLabel('Select a.png').isChecked())
    await assertNoBarriers(page)
    await patch('a', { tags: ['old', 'soft'] })
    // The second one has too many tags then.
    await patch('b', { tags: Array.from({ length: 32 }, (_, index) => `t${index}`) })
    await stage.service.request('DELETE', '/admin/s3/delete', {
      token,
      body: { bucketName: 'images', objectName: 'pat/c.png' },
    })
    await page.getByRole('button', { name: 'Describe', exact: true }).click()
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByRole('alert').getByText('Fill in at least one field.').waitFor()
    await page.getByLabel('Artist').fill('Ada')
    await page.getByLabel('Tags to add').fill('red')
    await page.getByLabel('Tags to remove').fill('old')
    await assertNoBarriers(page)
    await page.getByRole('button', { name: 'Save details' }).click()
    await page.getByRole('alert').getByText('2 images could not be described').waitFor()
    await page.getByRole('alert').getByText('The tags must be a list of at most 32 tags').waitFor()
    await page.getByRole('alert').getByText('pat/c.png: The image was deleted, moved or hidden meanwhile.').waitFor()
    await page.getByText('1 image selected').waitFor()
    await patch('b', { tags: [] })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('1 image could not be described').waitFor()
    await page.getByText('pat/b.png has been described').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'of an image that is gone')
    const [a, b, d] = await Promise.all(['a', 'b', 'd'].map(detailsOf))
    assert.deepEqual([a.artist, a.tags, b.artist, b.tags], ['Ada', ['red', 'soft'], 'Ada', ['red']])
    assert.deepEqual([d.artist, d.tags], [undefined, undefined])
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'pat/a.png has been' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await until(async () => String((await detailsOf('a')).tags) === 'old,soft')
    assert.equal((await detailsOf('a')).artist, undefined)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are in a store that can be tested, and whose buckets can be looked up', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/images')
    await page.getByRole('button', { name: 'Test store' }).click()
    await page.getByText('Object store is reachable').waitFor()
    for (const [bucket, said] of [
      ['images', 'images exists.'],
      ['elsewhere', 'elsewhere does not exist.'],
    ] as const) {
      await page.getByLabel('Bucket').fill(bucket)
      await page.keyboard.press('Enter')
      await page.getByText(`The bucket ${said}`).waitFor()
    }
    await assertNoBarriers(page, [390])
    await page.close()
  })
})

describe('Images in the console, with IMAGE_SIZES=false', { skip: noBrowserUnlessFull }, () => {
  it('are loaded as they are stored, and large ones only on demand', async () => {
    const { service, open } = await openConsoleStage({ env: { IMAGE_SIZES: 'false' } })
    const token = (await service.login('keeper')).body.accessToken
    const files = [
      ['fox/dusk.png', dusk, 'image/png'],
      ['fox/large.gif', gif(640, 480, Buffer.alloc(2_100_000)), 'image/gif'],
    ] as const
    for (const [name, body, type] of files) {
      const path = `/admin/s3/upload?bucketName=images&objectName=${encodeURIComponent(name)}`
      assert.equal(
        (await service.request('POST', path, { token, headers: { 'content-type': type }, body })).status,
        200,
      )
    }
    const { page } = await open('/images')
    const ask = page.getByRole('button', { name: 'Show 2.1 MB of fox/large.gif' })
    await ask.waitFor()
    const picture = page.locator('.tile-picture img')
    await until(async () => (await picture.count()) === 1, 'one picture')
    assert.match((await picture.getAttribute('src')) ?? '', /^i\/fox\/dusk\.png\?v=\w+$/)
    assert.equal(await picture.getAttribute('srcset'), null)
    const requested = page.waitForRequest(/\/i\/fox\/large\.gif/)
    await ask.click()
    assert.equal(new URL((await requested).url()).searchParams.has('w'), false)
    await page.close()
  })
})
