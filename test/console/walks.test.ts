import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const folder = join(import.meta.dirname, '../../samples/fox')
const foxes = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
const names = Array.from({ length: 60 }, (_, index) => `fox-${String(index).padStart(2, '0')}.png`)
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent')

describe('Long walks in the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const send = (method: string, path: string, body?: object, as = token) =>
    stage.service.request(method, path, { token: as, body })

  before(async () => {
    stage = await openConsoleStage()
    const keeper = (await stage.service.login('keeper')).body.accessToken
    const make = (username: string, role: string) =>
      send('POST', '/admin/user/create', { username, role, password }, keeper)
    await Promise.all([make('warden', 'admin'), make('first', 'moderator'), make('second', 'moderator')])
    token = (await stage.service.login('warden')).body.accessToken
    for (const [index, name] of names.entries())
      await stage.service.request('POST', `/admin/s3/upload?bucketName=images&objectName=fox/${name}`, {
        token,
        headers: { 'content-type': 'image/png' },
        body: Buffer.concat([foxes[index % foxes.length] as Buffer, Buffer.from(name)]),
      })
  })

  it('in a grid of many images: the focus stays near, scrolling continues, and messages hide neither page nor dialog', async () => {
    const { page, complaints } = await stage.open('/images')
    await page.setViewportSize({ width: 390, height: 844 })
    const tile = (name: string) => page.getByRole('button', { name, exact: true })
    const hide = async (name: string) => {
      await tile(name).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }).click()
      await page.getByText(`fox/${name} has been hidden`).waitFor()
    }
    await tile('fox-03.png').focus()
    // What has the focus stays in the document.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await tile('fox-59.png').waitFor()
    assert.ok((await page.evaluate<number>('scrollY')) > 3_000)
    assert.equal(await focused(page), 'fox-03.png')
    await hide('fox-58.png')
    await until(async () => /^fox-5\d\.png$/.test(await focused(page)), 'the focus to go to a neighbour')
    for (const name of ['fox-54.png', 'fox-55.png', 'fox-56.png', 'fox-57.png']) await hide(name)
    // Beside an open dialog.
    await tile('fox-59.png').click()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.keyboard.press('Escape')
    await page.getByText('has been undone').waitFor()
    const top = await page.evaluate<number>("document.querySelector('.toasts').getBoundingClientRect().top")
    assert.ok(top > 300, 'most of the page is in sight')
    await assertNoBarriers(page, [390])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('of two moderators at once: the second sees what the first has done, and why a delete is not allowed', async () => {
    const reported = ['fox/fox-20.png', 'fox/fox-21.png', 'fox/fox-22.png']
    for (const name of reported) await send('POST', '/images/report', { name, reason: 'No fox' })
    const { page: one, complaints } = await stage.open('/reports', { username: 'first' })
    const two = await stage.browser.newPage()
    await two.goto(`${stage.service.url}/console#/reports`)
    await signIn(two, 'second')
    const button = (page: Page, label: string, name = '') => page.getByRole('button', { name: `${label} ${name}` })
    const refused = button(two, 'Delete…', reported[0])
    await refused.focus()
    await two.keyboard.press('Enter')
    assert.equal(await refused.getAttribute('aria-disabled'), 'true')
    const reason = await refused.getAttribute('aria-describedby')
    assert.match((await two.locator(`#${reason}`).textContent()) ?? '', /Only administrators delete images/)
    await button(one, 'Hide', reported[0]).focus()
    await one.keyboard.press('Enter')
    await button(one, 'Hide', reported[0]).waitFor({ state: 'detached' })
    await until(async () => (await focused(one)) === reported[1])
    await one.setViewportSize({ width: 390, height: 844 })
    await one.evaluate('scrollTo(0, document.body.scrollHeight)')
    const lastAct = await button(one, 'Delete…', reported[2]).boundingBox()
    const message = await one.locator('.toasts').boundingBox()
    assert.ok(lastAct && message && lastAct.y + lastAct.height < message.y, 'no message over what is last')
    await button(two, 'Keep', reported[0]).click()
    await two.getByText('Somebody has already hidden this image.').waitFor()
    await button(two, 'Keep', reported[0]).waitFor({ state: 'detached' })
    // Replaced since: the new image is shown, which the browser's cache does not have.
    await stage.service.request('POST', `/admin/s3/upload?bucketName=images&objectName=${reported[2]}`, {
      token,
      headers: { 'content-type': 'image/png' },
      body: Buffer.concat([foxes[0] as Buffer, Buffer.from('new')]),
    })
    const shown = () => two.getByRole('img', { name: reported[2] ?? '' }).getAttribute('src')
    const old = await shown()
    await button(two, 'Keep', reported[1]).click()
    await until(async () => (await shown()) !== old)
    await two.getByText('The image was replaced since.').waitFor()
    await two.getByLabel('State').selectOption('closed')
    for (const [by, action] of [
      ['first', 'hidden'],
      ['second', 'kept'],
    ])
      await two.locator('.note', { hasText: new RegExp(`Resolved .* by ${by}: ${action}\\.$`) }).waitFor()
    assert.deepEqual(await two.locator('.short-id').count(), 0, 'no ids of people')
    assert.deepEqual(complaints, [])
    await two.close()
  })
})
