import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { password } from '../support/service.ts'
import { itInFull } from '../support/size.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

describe('The first owner', { skip: noBrowserUnlessFull }, () => {
  it('is created in the console with the code of the log, and is then signed in', async () => {
    const stage = await openConsoleStage({
      env: { OWNER_USERNAME: '', OWNER_PASSWORD: '', RATE_LIMIT_LOGIN_NAME_MAX: '5' },
    })
    const { page, complaints } = await stage.open('/account', { username: null })
    await page.getByRole('heading', { name: 'First owner', level: 1 }).waitFor()
    await assertNoBarriers(page)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    const code = stage.service.advice.slice(-16)
    const wrong = code.startsWith('a') ? 'b'.repeat(16) : 'a'.repeat(16)
    const submit = () => page.getByRole('button', { name: 'Create owner' }).click()
    const refusal = () => page.evaluate<string>('document.activeElement.validationMessage')
    await page.getByLabel('Code').fill('not a code')
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill('2short')
    await submit()
    assert.match(
      await refusal(),
      /^The code has 16 letters and digits, and never l, o, 0 or 1\. The code is in the terminal/,
    )
    await page.getByLabel('Code').fill(wrong)
    await submit()
    assert.match(await refusal(), /^Password must be at least/)
    assert.deepEqual(sent, [], 'costs no attempt')
    await page.getByLabel('Password').fill(password)
    await submit()
    await page.getByRole('alert').getByText('This is not the code. The code is in the terminal').waitFor()
    assert.equal(await page.getByLabel('Code').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Code').fill(` ${code.toUpperCase()} `)
    assert.equal(await page.getByRole('alert').count(), 0, 'the old refusal is gone')
    assert.equal(await page.getByLabel('Code').getAttribute('aria-invalid'), null)
    for (let guesses = 0; guesses < 5; guesses++) await stage.service.login('guessed', 'not the password')
    await page.getByLabel('Username').fill('guessed')
    await submit()
    await page.getByText('You need not wait: restart the service').waitFor()
    await assertNoBarriers(page, [390])
    await page.getByLabel('Username').fill('no name')
    await submit()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByLabel('Username').fill('keeper')
    await submit()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await page.getByTitle('Signed in as keeper (owner)').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal(await page.getByLabel('Code').count(), 0)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('is told how to be made once the form is closed, before and after a reload', async () => {
    const stage = await openConsoleStage({ env: { OWNER_USERNAME: '', OWNER_PASSWORD: '' } })
    const { page } = await stage.open('/account', { username: null })
    await page.getByLabel('Code').fill('a'.repeat(16))
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill(password)
    for (let wrong = 0; wrong < 6; wrong++) {
      await page.getByRole('button', { name: 'Create owner' }).click()
      await page
        .getByRole('alert')
        .getByText(wrong < 5 ? 'This is not the code.' : 'The form is closed')
        .waitFor()
    }
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.getByText('the form for one is closed').waitFor()
    await assertNoBarriers(page, [390])
    await page.close()
  })
})

describe('A session of the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  before(async () => {
    stage = await openConsoleStage()
  })

  it('starts with an accessible form, which says what is wrong, and in its details what the service said', async () => {
    const { page } = await stage.open(undefined, { username: null })
    await assertNoBarriers(page)
    await page.getByText('An administrator can reset a forgotten password.').waitFor()
    await page.keyboard.type('keeper')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    const expected = (await stage.service.login('keeper', 'not the password')).body.error
    await page.getByRole('alert').waitFor()
    const said = await page.getByRole('alert').locator('p').allTextContents()
    assert.deepEqual(said.slice(0, 2), ['The username or the password is wrong.', `HTTP 401: ${expected}`])
    const replied = page.waitForResponse('**/console/session')
    await page.keyboard.press('Enter')
    await replied
    await page.getByRole('alert').getByText('The username or the password is wrong.').waitFor()
  })

  it('begins for somebody new with an account of their own, unless registration is closed', async () => {
    const { page, complaints } = await stage.open('/keys', { username: null })
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account', level: 1 }).waitFor()
    await assertNoBarriers(page, [390])
    const submit = () => page.getByRole('button', { name: 'Create account' }).click()
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill('short')
    await submit()
    assert.equal(await page.evaluate(`document.querySelector('[name=password]').validity.customError`), true)
    await page.getByLabel('Password').fill(password)
    await submit()
    await page.getByRole('alert').getByText('Username already exists').waitFor()
    complaints.length = 0
    await page.getByRole('button', { name: 'Sign in instead' }).click()
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByLabel('Username').fill('newcomer')
    await page.getByLabel('Password').fill(password)
    await submit()
    await page.getByRole('heading', { name: 'Keys and links', level: 1 }).waitFor()
    await page.getByTitle('Signed in as newcomer (user)').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
    const closed = await openConsoleStage({ env: { REGISTRATION: 'closed' } })
    const { page: other } = await closed.open(undefined, { username: null })
    await other.getByText('Accounts are created by an administrator').waitFor()
    assert.equal(await other.getByRole('button', { name: 'Create an account' }).count(), 0)
    await other.close()
  })

  it('says that it waits if the service takes its time', async () => {
    const { page } = await stage.open(undefined, { username: null })
    const waiting = page.getByText('Waiting for the service.')
    const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>()
    await page.route('**/console/session', async (route) => {
      await isSeen
      await route.continue()
    })
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await waiting.waitFor()
    await assertNoBarriers(page, [390])
    seen()
    await page.getByRole('alert').waitFor()
    assert.equal(await waiting.count(), 0)
    await page.close()
  })

  itInFull('returns to the same page after it was ended elsewhere, and says so', async () => {
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await stage.service.login('keeper')
    await page.reload()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await stage.endSessions('keeper')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Your sign-in was ended elsewhere: ').waitFor()
    await assertNoBarriers(page, [390])
    await signIn(page, 'keeper')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    assert.deepEqual(complaints, [])
  })

  itInFull(
    'lasts over reloads, in every tab and beside other browsers, leaves the token alone, and ends with Sign out',
    async () => {
      const { accessToken: token } = (await stage.service.login('keeper')).body
      const { page, complaints } = await stage.open('/keys')
      const tab = await page.context().newPage()
      const asked: string[] = []
      tab.on('request', (request) => {
        // Not pictures: the sign-in page loads the mark again whenever the browser has dropped it from memory.
        if (request.resourceType() === 'fetch') asked.push(new URL(request.url()).pathname)
      })
      await tab.goto(`${stage.service.url}/console#/account`)
      await tab.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
      assert.ok(asked.includes('/auth/me'), 'the tab asks by fetch')
      for (let round = 0; round < 3; round++) await page.reload()
      await page.getByRole('heading', { name: 'Keys and links', level: 1 }).waitFor()
      const kept = JSON.stringify(await page.context().storageState())
      assert.ok(!kept.includes(token.slice(7)) && !/Bearer|accessToken/.test(kept))
      assert.equal(await page.evaluate('document.cookie'), '')
      assert.equal((await stage.service.request('GET', '/auth/me', { token })).status, 200)
      asked.length = 0
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Username').waitFor()
      await tab.getByText('This browser has been signed out.').waitFor()
      assert.deepEqual(asked, [], 'the other tab asks nothing')
      await signIn(tab, 'keeper')
      await page.getByRole('heading', { name: 'Keys and links', level: 1 }).waitFor()
      await tab.close()
      assert.equal((await stage.service.request('GET', '/auth/me', { token })).status, 200)
      assert.deepEqual(complaints, [])
    },
  )

  it('changes in every tab to whoever signs in, and shows nothing of the other user', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await stage.service.register('second')
    const { page } = await stage.open('/account')
    const tab = await page.context().newPage()
    await tab.goto(`${stage.service.url}/console#/account`)
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await signIn(tab, 'second')
    await page.getByTitle('Signed in as second (user)').waitFor()
    await page.locator('dd').getByText('second', { exact: true }).waitFor()
    assert.equal(await page.getByText('keeper').count(), 0)
    await tab.close()
  })

  it('has a page of all sign-ins of the user, which ends each with the password if need be', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await stage.service.register('traveller')
    await stage.service.request('POST', '/console/session', {
      headers: {
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Mozilla/5.0 (Android 15; Mobile; rv:142.0) Firefox/142.0',
      },
      body: { username: 'traveller', password },
    })
    const { page, complaints } = await stage.open('/account', { username: 'traveller' })
    await page.getByRole('link', { name: 'Where you are signed in' }).click()
    const list = page.getByRole('list', { name: 'Sign-ins' }).getByRole('listitem')
    await list.first().waitFor()
    assert.match(
      (await list.first().textContent()) ?? '',
      /^Chrome on Linux this browserlast used .+, signed in .+ from 127\.0\.0\.1/,
    )
    assert.match((await list.last().textContent()) ?? '', /^Firefox on Android /)
    await assertNoBarriers(page)
    // As if ten minutes passed.
    const path = '**/auth/sessions/*'
    await page.route(path, (route) => {
      const again = { status: 403, json: { error: 'Sign in again or send your password' } }
      return route.request().postDataJSON()?.password === undefined ? route.fulfill(again) : route.fallback()
    })
    await list.last().getByRole('button').click()
    const dialog = page.getByRole('dialog')
    // They pass while the dialog is open: the field comes with the refusal, and takes the focus.
    await dialog.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.evaluate(`localStorage.setItem('menagerie.signedInAt', String(Date.now() - 11 * 60_000))`)
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await dialog.getByLabel('Your own password').waitFor()
    await until(() => page.evaluate<boolean>(`document.activeElement.name === 'password'`))
    await dialog.getByLabel('Your own password').fill('not the password')
    await assertNoBarriers(page, [390])
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Your own password').fill(password)
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Firefox on Android has been signed out').waitFor()
    await until(async () => (await list.count()) === 1)
    await page.unroute(path)
    await list.first().getByRole('button').click()
    await page.getByLabel('Username').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('asks for the password at once where the sign-in is old', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/keys', { username: 'traveller' })
    const field = page.getByLabel('Your own password')
    const create = page.getByRole('button', { name: 'Create key' }).first()
    await create.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').waitFor()
    assert.equal(await field.count(), 0)
    await page.keyboard.press('Escape')
    await page.evaluate(`localStorage.setItem('menagerie.signedInAt', String(Date.now() - 11 * 60_000))`)
    await create.click()
    await field.waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'name')
    await dialog.getByLabel('Name').fill('asked at once')
    await field.fill(password)
    await dialog.getByRole('button', { name: 'Create', exact: false }).last().click()
    await page.getByText('I have copied it').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('says so if the browser does not keep the cookie', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/overview', { username: null })
    const path = '**/console/session'
    await page.route(path, async (route) => {
      const { body } = await stage.service.request('POST', '/console/session', {
        headers: { 'sec-fetch-site': 'same-origin' },
        body: route.request().postDataJSON(),
      })
      await route.fulfill({ json: body })
    })
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The browser did not keep the cookie of your sign-in.').waitFor()
    await page.unroute(path)
  })

  it('that has ended asks nothing, however often the page is opened', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/overview', { username: null })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    for (let round = 0; round < 3; round++) {
      await page.reload()
      await page.getByLabel('Username').waitFor()
    }
    assert.deepEqual(
      asked.filter((path) => !path.startsWith('/console') && path !== '/docs.svg'),
      [],
    )
  })

  it('ends when its user deletes the account, which asks for the password; the last owner cannot', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await stage.service.register('leaver')
    const { page, complaints } = await stage.open('/account', { username: 'leaver' })
    const dialog = page.getByRole('dialog')
    const send = async (secret: string) => {
      await dialog.getByLabel('Your own password').fill(secret)
      await dialog.getByRole('button', { name: 'Delete account' }).click()
    }
    await page.getByRole('button', { name: 'Delete account…' }).click()
    await send('not the password')
    await dialog.getByText('The password is wrong.').waitFor()
    await assertNoBarriers(page, [390])
    await send(password)
    await page.getByText('Your account has been deleted.').waitFor()
    assert.equal((await stage.service.login('leaver')).status, 401)
    await signIn(page, 'keeper')
    await page.getByRole('button', { name: 'Delete account…' }).click()
    await send(password)
    await dialog.getByText('The last owner cannot be deleted').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual(complaints, [])
  })

  it('follows the current role, and ends with a ban', { skip: noBrowserUnlessFull }, async () => {
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
    await page.getByText('This page is for administrators and above; your role is user.').waitFor()
    assert.deepEqual(await pages.getByRole('link').allTextContents(), ['Overview', 'Images', 'Keys'])
    await assertNoBarriers(page, [390])
    await page.getByRole('link', { name: 'Go to the overview' }).waitFor()
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
    // Not by a click: a request of the page itself may have ended the session already, and the links with it.
    await page.evaluate("location.hash = '/users'")
    await page.getByText('You have been signed out: User is banned').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('ends when a form finds it ended elsewhere, and leaves nothing of the user', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/keys')
    const create = async () => {
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByLabel('Kind').selectOption('fox')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
    }
    await create()
    await page.getByLabel('Markdown').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Embed link revoked').waitFor()
    await stage.endSessions('keeper')
    await create()
    await page.getByText(/was ended elsewhere/).waitFor()
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
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.route('**/*', (route) => route.abort())
    await page.getByLabel('Username').fill('keeper')
    await page.getByLabel('Password').fill('any')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match(await page.getByRole('alert').innerText(), /^The service cannot be reached\.\s*$/, 'nothing was done')
    await page.unroute('**/*')
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
    await change('another horse of the walker')
    await page.getByRole('alert').getByText('The new password is the same as the current one.').waitFor()
    await page.getByLabel('New password').and(page.locator('[aria-invalid]')).waitFor()
    await change(password)
    await page.getByText('Password changed').waitFor()
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByText('No API keys.').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('No images.').waitFor()
    await page.getByText('No embed links.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'All links' }).count(), 0)
    await page.getByRole('main').getByRole('link', { name: 'Keys and links' }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
