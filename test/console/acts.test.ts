import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const away = {
  status: 503,
  headers: { 'retry-after': '60' },
  json: { status: 503, message: 'Database is unavailable' },
}

describe('An act on a user in the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const act = async (path: string, body: object) => {
    const reply = await stage.service.request('POST', `/admin/${path}`, { token, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const idOf = async (username: string) =>
    (await stage.service.request('GET', `/admin/user/search?username=${username}`, { token })).body.user.id
  /** Opens the page of a new user with this name. */
  async function openUser(username: string) {
    token = (await stage.service.login('warden')).body.accessToken
    await act('user/create', { username, role: 'user', password })
    const seat = await stage.open(`/users/${await idOf(username)}`)
    await seat.page.getByRole('heading', { name: username, level: 1 }).waitFor()
    return seat
  }
  const press = (page: Page, name: string, role: 'main' | 'dialog') =>
    page.getByRole(role).getByRole('button', { name, exact: true }).click()
  const begin = (page: Page, name: string) => press(page, name, 'main')
  const submit = (page: Page, name: string) => press(page, name, 'dialog')

  before(async () => {
    stage = await openConsoleStage()
    token = (await stage.service.login('keeper')).body.accessToken
    await act('user/create', { username: 'warden', role: 'admin', password })
  })

  it('keeps the focus and the input when it fails, says when to try again, and then succeeds', async () => {
    const { page, complaints } = await openUser('frail')
    await begin(page, 'Ban…')
    await page.getByLabel('Reason').fill('r'.repeat(501))
    await submit(page, 'Ban')
    await page.getByRole('alert').getByText('The reason must have at most 500 characters').waitFor()
    await page.getByLabel('Reason').fill('r'.repeat(500))
    await page.route('**/admin/ban', (route) => route.fulfill(away))
    await submit(page, 'Ban')
    await page.getByText('Database is unavailable').waitFor()
    await page.getByText(/^You can try again in [45]\d s\.$/).waitFor()
    assert.equal(await page.locator(':focus').textContent(), 'Ban')
    await assertNoBarriers(page)
    await page.unroute('**/admin/ban')
    await page.keyboard.press('Enter')
    await page.getByText('User frail has been banned').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('resets a password, which it shows once, and asks for its own again only if the service wants it', async () => {
    const { page, complaints } = await openUser('forgetful')
    for (const wrong of ['an old password', 'an older password'])
      assert.equal((await stage.service.login('forgetful', wrong)).status, 401)
    await page.reload()
    const guesses = page.getByText('2 in the last 15 minutes.')
    await guesses.waitFor()
    const tooOld = { status: 403, json: { status: 403, message: 'Sign in again or send your password' } }
    await page.route(/reset-password/, (route) =>
      route.request().postDataJSON().password ? route.continue() : route.fulfill(tooOld),
    )
    await begin(page, 'Reset password…')
    const own = page.getByLabel('Your own password')
    await own.fill('a wrong password')
    await assertNoBarriers(page)
    await submit(page, 'Reset password')
    await page.getByRole('alert').getByText('The password is wrong.').waitFor()
    await own.fill(password)
    await submit(page, 'Reset password')
    await page.getByRole('dialog', { name: 'Password of forgetful' }).waitFor()
    const made = await page.getByLabel('Password', { exact: true }).inputValue()
    await assertNoBarriers(page)
    assert.equal((await stage.service.login('forgetful', made)).status, 200)
    await submit(page, 'I have copied it')
    await guesses.waitFor({ state: 'detached' })
    await page.unroute(/reset-password/)
    await begin(page, 'Reset password…')
    await submit(page, 'Reset password')
    await page.getByRole('dialog', { name: 'Password of forgetful' }).waitFor()
    assert.notEqual(await page.getByLabel('Password', { exact: true }).inputValue(), made)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('reports its failure even if its dialog was closed, and is sent once however often it is submitted', async () => {
    const { page } = await openUser('hasty')
    await begin(page, 'Revoke all access…')
    const { promise, resolve } = Promise.withResolvers<Route>()
    let sent = 0
    await page.route(/revoke-token$/, (route) => {
      sent++
      resolve(route)
    })
    await submit(page, 'Revoke all access')
    const button = page.getByRole('dialog').getByRole('button', { name: 'Revoke all access' })
    assert.equal(await button.getAttribute('aria-busy'), 'true')
    await button.press('Enter')
    await page.keyboard.press('Escape')
    await (await promise).fulfill(away)
    await page.locator('.toast', { hasText: 'Database is unavailable' }).waitFor()
    assert.equal(sent, 1)
    await page.close()
  })

  it('leaves nothing on the page of a user whom another administrator has deleted', async () => {
    const { page } = await openUser('leaver')
    await begin(page, 'Rename…')
    await act('user/delete', { username: 'leaver' })
    await submit(page, 'Rename')
    await page.getByRole('main').getByRole('alert').getByText('User not found').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Ban' }).count(), 0)
    await page.locator('h1:focus').waitFor()
    await page.getByRole('link', { name: 'Events about this user' }).click()
    await page.getByRole('rowheader', { name: 'delete an account' }).waitFor()
    await page.close()
  })

  it('is refused as soon as its dialog opens if somebody else was faster, and the page shows the current state', async () => {
    const { page } = await openUser('second')
    await act('ban', { username: 'second', reason: 'was faster' })
    await begin(page, 'Ban…')
    await page.getByRole('alert').getByText('User is already banned').waitFor()
    await page.getByText('was faster').first().waitFor()
    const button = page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Escape')
    await begin(page, 'Unban')
    await page.getByText('User second has been unbanned').waitFor()
    await begin(page, 'Rename…')
    await page.getByLabel('New username').fill('mine')
    await act('user/edit/username', { username: 'second', newUsername: 'theirs' })
    await submit(page, 'Rename')
    await page
      .getByRole('alert')
      .getByText(/the username is now theirs/)
      .waitFor()
    await page.getByRole('heading', { name: 'theirs', level: 1, includeHidden: true }).waitFor()
    await submit(page, 'Rename')
    await page.getByText('theirs is now mine').waitFor()
    await page.getByRole('heading', { name: 'mine', level: 1 }).waitFor()
    await begin(page, 'Rename…')
    await page.getByLabel('New username').fill('mine')
    await submit(page, 'Rename')
    await page.getByRole('alert').getByText('mine has this name already.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await begin(page, 'Change role…')
    await submit(page, 'Change role')
    await page.getByRole('alert').getByText('mine has this role already.').waitFor()
    await page.close()
  })

  it('keeps the input while the user signs in again', async () => {
    const { page } = await openUser('patient')
    await begin(page, 'Ban…')
    await page.getByLabel('Reason').fill('a long story\nin two lines')
    await stage.endSessions('keeper')
    await submit(page, 'Ban')
    await page.getByText(/was ended elsewhere/).waitFor()
    await signIn(page, 'keeper')
    await page.getByRole('heading', { name: 'patient', level: 1 }).waitFor()
    await begin(page, 'Ban…')
    await submit(page, 'Ban')
    await page.locator('.text', { hasText: 'in two lines' }).waitFor()
    await page.close()
  })

  it('generates a password that is shown once', async () => {
    const { page } = await stage.open('/users')
    await begin(page, 'Create user')
    await page.getByLabel('Username').fill('guest')
    await submit(page, 'Create')
    const made = await page.getByLabel('Password', { exact: true }).and(page.locator('[readonly]')).inputValue()
    assert.equal((await stage.service.login('guest', made)).status, 200)
    await assertNoBarriers(page)
    await page.keyboard.press('Escape')
    await submit(page, 'I have copied it')
    assert.equal(await page.locator(':focus').textContent(), 'Create user')
    await page.close()
  })
})
