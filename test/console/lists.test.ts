import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

describe('Lists of the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const names = [...Array(60).keys()].map((index) => `walker-${String(index).padStart(2, '0')}`)
  const act = async (path: string, body: object) =>
    assert.equal((await stage.service.request('POST', `/admin/${path}`, { token, body })).status, 200)

  before(async () => {
    stage = await openConsoleStage()
    token = (await stage.service.login('keeper')).body.accessToken
    await Promise.all(names.map((username) => act('user/create', { username, role: 'user', password })))
    await act('user/create', { username: 'warden', role: 'admin', password })
  })

  it('ask once for the names of all users on a page of the audit', async () => {
    const { page } = await stage.open('/account')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('link', { name: 'walker-30' }).waitFor()
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/admin')),
      ['/admin/audit', '/admin/users'],
    )
    await page.close()
  })

  it('lead back from a page that has become empty', async () => {
    const { page } = await stage.open('/users?q=walker&sort=username')
    await page.getByRole('link', { name: 'walker-00' }).waitFor()
    token = (await stage.service.login('warden')).body.accessToken
    for (const username of names.slice(50)) await act('user/delete', { username })
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('No user matches.').waitFor()
    await assertNoBarriers(page, [195])
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByRole('link', { name: 'walker-00' }).waitFor()
    await page.close()
  })

  it('accept a name with spaces around it, and days typed on the keyboard', async () => {
    const { page } = await stage.open('/audit')
    await page.getByLabel('Actor').fill('  keeper ')
    await page.waitForURL(/actor=/)
    await page.getByRole('rowheader', { name: 'create' }).first().waitFor()
    await page.getByLabel('From').focus()
    for (const key of '01022026') await page.keyboard.press(key)
    await page.waitForURL(/from=2026-01-02/)
    await page.getByLabel('To', { exact: true }).focus()
    for (const key of '01032026') await page.keyboard.press(key)
    await page.getByText('No event matches.').waitFor()
    await page.close()
  })

  it('say that the service is slow, and are dimmed while it applies a filter', async () => {
    const { page } = await stage.open('/users')
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route(/q=walker-4/, async (route) => {
      await promise
      await route.continue()
    })
    await page.getByLabel('Search').fill('walker-4')
    await page.locator('[aria-busy=true]').waitFor()
    resolve()
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('rowheader').count(), 10)
    await page.clock.install()
    await page.route('**/admin/audit?*', () => {})
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('Loading events…').waitFor()
    await page.clock.fastForward(5_000)
    await page.getByText('Loading events… The service is slow to reply.').waitFor()
    await page.close()
  })

  it('repeat the plot of the requests below it, for users who cannot see it', async () => {
    const { page } = await stage.open('/overview')
    await page.getByText('Show as a table').click()
    const today = new Date().toISOString().slice(0, 10)
    await page.getByRole('rowheader', { name: today }).waitFor()
    await assertNoBarriers(page)
    await page.close()
  })
})
