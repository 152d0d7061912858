import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { type ConsoleStage, openConsoleStage } from './stage.ts'

const hourMs = 3_600_000

describe('Times in the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const act = async (path: string, body: object) => {
    const reply = await stage.service.request('POST', `/admin/${path}`, { token, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body.user
  }
  before(async () => {
    stage = await openConsoleStage()
    token = (await stage.service.login('keeper')).body.accessToken
    await act('user/create', { username: 'warden', role: 'admin', password })
  })

  for (const [fast, sign] of [
    ['fast', 1],
    ['slow', -1],
  ] as const)
    it(`are those of the service if the browser's clock is an hour ${fast}, however long the tab is open`, async () => {
      const { page } = await stage.open('/audit', { username: 'warden' })
      await page.clock.install({ time: Date.now() + sign * hourMs })
      await page.reload()
      const newest = page.locator('tbody time').first()
      await page
        .getByText(/^(just now|\d+ seconds? ago)$/)
        .first()
        .waitFor()
      await page.clock.fastForward(3 * 24 * hourMs)
      // The next reply, whatever it is, sets the time again.
      await page.getByLabel('Actor').fill('warden')
      await page.waitForURL(/actor=/)
      await newest.filter({ hasText: /^(just now|\d+ (second|minute)s? ago)$/ }).waitFor()
      await page.close()
    })

  it('show a ban as over when it ends', async () => {
    token = (await stage.service.login('keeper')).body.accessToken
    const { id } = await act('user/create', { username: 'brief', role: 'user', password })
    await act('ban', { userId: id, reason: 'for now' })
    const { page } = await stage.open('/overview', { username: 'warden' })
    await page.clock.install()
    const until = new Date(Date.now() + hourMs).toISOString()
    const ban = { reason: 'for now', since: new Date().toISOString(), until, by: null }
    await page.route('**/admin/user/ban?*', (route) => route.fulfill({ json: { status: 200, ban } }))
    await page.evaluate(`location.hash = '/users/${id}'`)
    await page.getByText(/, ends in (1 hour|60 minutes)/).waitFor()
    await act('unban', { userId: id })
    await page.clock.fastForward(hourMs + 4_000)
    await page.getByText('active', { exact: true }).waitFor()
    await page.close()
  })
})
