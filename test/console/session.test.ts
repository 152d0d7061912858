import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

describe('A session of the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  before(async () => {
    stage = await openConsoleStage()
  })

  it('starts with an accessible form, which shows the message of the service', async () => {
    const { page } = await stage.open(undefined, { username: null })
    await assertNoBarriers(page)
    await page.keyboard.type('keeper')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    const expected = (await stage.service.login('keeper', 'not the password')).body.error
    assert.equal(await page.getByRole('alert').locator('p').first().textContent(), expected)
  })

  it('returns to the same page after its token was no longer accepted', async () => {
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await stage.service.login('keeper')
    await page.reload()
    await signIn(page, 'keeper')
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await stage.service.login('keeper')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText(/signed out: /).waitFor()
    await signIn(page, 'keeper')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it('survives a reload only if asked to, and ends with Sign out', async () => {
    const { page } = await stage.open('/account')
    await page.reload()
    await page.getByLabel('Keep me signed in on this tab').check()
    await signIn(page, 'keeper')
    await page.reload()
    await page.getByRole('navigation', { name: 'Console' }).waitFor()
    const token = await page.evaluate("JSON.parse(sessionStorage.getItem('menagerie.session')).token")
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
    assert.equal(await page.evaluate("sessionStorage.getItem('menagerie.session')"), null)
    const { status } = await stage.service.request('GET', '/auth/me', { token: String(token) })
    assert.equal(status, 401)
  })

  it('follows the current role, and ends with a ban', async () => {
    const token = (await stage.service.login('keeper')).body.accessToken
    const act = async (path: string, body: object) =>
      assert.equal((await stage.service.request('POST', `/admin/${path}`, { token, body })).status, 200)
    const terms = { username: 'climber', role: 'admin', password }
    assert.equal((await stage.service.request('POST', '/admin/user/create', { token, body: terms })).status, 200)
    const { page, complaints } = await stage.open('/keys', { username: 'climber' })
    await page.getByRole('heading', { name: 'Keys and links' }).waitFor()
    await act('user/edit/role', { username: 'climber', role: 'user' })
    const pages = page.getByRole('navigation', { name: 'Console' })
    const refused: string[] = []
    page.on('response', (reply) => reply.status() === 403 && refused.push(new URL(reply.url()).pathname))
    await pages.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('This page is for admin and above; your role is user.').waitFor()
    assert.deepEqual(await pages.getByRole('link').allTextContents(), ['Overview', 'Images', 'Keys'])
    await assertNoBarriers(page, [390])
    await page.evaluate("location.hash = '/users'")
    await page.getByText('This page is for support and above; your role is user.').waitFor()
    // That refusal told the console of the new role; it requests only what the page shown instead needs.
    assert.deepEqual(refused, ['/admin/audit'])
    await page.evaluate("location.hash = '/audit'")
    await page.getByText('Your role was admin, and is now user.').waitFor()
    await act('user/edit/role', { username: 'climber', role: 'admin' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table').waitFor()
    await act('ban', { username: 'climber' })
    await pages.getByRole('link', { name: 'Users' }).click()
    await page.getByText('You have been signed out: User is banned').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('ends when a form finds its token revoked, and leaves nothing of the user', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/keys')
    const create = async () => {
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByRole('button', { name: 'Create', exact: true }).click()
    }
    await create()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Embed link revoked').waitFor()
    await stage.service.login('keeper')
    await create()
    await page.getByText(/signed out: /).waitFor()
    assert.equal(await page.getByText('Embed link revoked').count(), 0)
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  it('survives an outage in which a page cannot be loaded', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/account')
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await page.route('**/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Status' }).click()
    await page.getByText('A part of the console cannot be loaded').waitFor()
    await page.unroute('**/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
  })

  it('continues after a password change, which its form refuses with a wrong password', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { accessToken } = await stage.service.register('walker')
    await stage.service.request('POST', '/auth/keys', {
      token: accessToken,
      body: { name: 'backup', scopes: ['images'] },
    })
    const { page, complaints } = await stage.open('/account', { username: 'walker' })
    const change = async (current: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password').fill('another horse of the walker')
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('rowheader', { name: 'backup' }).waitFor()
    await page.getByRole('link', { name: 'walker' }).click()
    await change('wrong')
    await page.getByRole('alert').waitFor()
    await assertNoBarriers(page)
    await change(password)
    await page.getByText('Password changed').waitFor()
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByText('No API keys.').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('No images.').waitFor()
    assert.deepEqual(complaints, [])
  })
})
