import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { folder, putInto } from '../support/object-stores.ts'
import { png } from '../support/pictures.ts'
import { picture } from '../support/real-images.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

describe('Files in the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage

  before(async () => {
    const { store, bucket, env } = await folder.make()
    const put = putInto(store, bucket)
    const whole = await picture('png', 60, 40)
    for (const name of ['fox/a.png', 'fox/b.png', 'bird/c.png', 'fox/my fox.png', 'fox/more/d.png'])
      await put(name, whole, { type: 'image/png' })
    await put('fox/cut.png', png(3, 2), { type: 'image/png' })
    await put('fox/empty.png', Buffer.alloc(0), { type: 'image/png' })
    stage = await openConsoleStage({ env })
  })

  it('that are not served, or are damaged, are listed with the reason', async () => {
    const { page, complaints } = await stage.open('/images?kind=fox')
    await page.getByText('3 files have a problem').click()
    await page.getByText('fox/empty.png: not served, since it is empty').waitFor()
    await page.getByText('fox/more/: not served, since a kind has no folders').waitFor()
    await page.getByText(/^fox\/my fox\.png: not served, since a name may have only letters/).waitFor()
    await page.getByText('Damaged: fox/cut.png cannot be decoded').waitFor()
    await page.reload()
    await page.getByText('4 files have a problem').click()
    await page.getByText(/^fox\/cut\.png: served as it is stored, but damaged/).waitFor()
    await assertNoBarriers(page)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('that are identical are found, and each leads to its image', async () => {
    const { page } = await stage.open('/images?kind=fox')
    await page.getByRole('button', { name: 'Find identical' }).click()
    const dialog = page.getByRole('dialog', { name: 'Identical images' })
    await dialog.getByText(/^3 copies of .* each$/).waitFor()
    assert.deepEqual(await dialog.getByRole('link').allTextContents(), ['bird/c.png', 'fox/a.png', 'fox/b.png'])
    await assertNoBarriers(page)
    // Whoever wants one of them need not open each.
    await dialog.getByRole('button', { name: 'Keep only this… fox/a.png' }).click()
    const asked = page.getByRole('dialog', { name: 'Delete 2 images' })
    await asked.getByText('bird/c.png, fox/b.png').waitFor()
    await asked.getByText('fox/a.png stays.').waitFor()
    // Somebody else keeps another one.
    const name = 'fox/a.png'
    const token = (await stage.service.login('keeper')).body.accessToken
    await stage.service.request('POST', '/admin/images/hide', { token, body: { name } })
    await asked.getByRole('button', { name: 'Delete 2 images' }).click()
    const why = 'Not deleted, since fox/a.png has been changed, hidden or deleted meanwhile.'
    await asked.getByText(`bird/c.png: ${why}`).waitFor()
    await asked.getByText(`fox/b.png: ${why}`).waitFor()
    await asked.getByRole('button', { name: 'Close' }).first().click()
    await dialog.getByRole('link', { name: 'bird/c.png' }).click()
    await page.getByRole('dialog', { name: 'c.png' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^bird/ }).waitFor()
    await page.close()
  })
})
