import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { consoleBrowser } from '../support/console-browser.ts'
import { password } from '../support/service.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

const hostile = '<img src=x onerror="document.title=1">\u202eevil'

describe('Users in the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  let token: string
  const create = (username: string, role = 'user') =>
    stage.service.request('POST', '/admin/user/create', { token, body: { username, role, password } })

  before(async () => {
    stage = await openConsoleStage()
    token = (await stage.service.login('keeper')).body.accessToken
    await Promise.all([...Array(55).keys()].map((index) => create(`walker-${String(index).padStart(2, '0')}`)))
    await create('helper', 'support')
    await create('warden', 'admin')
  })

  it('are found by search, filters, sorting and pages, which the address keeps', async () => {
    const { page, complaints } = await stage.open('/users')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Page 2').waitFor()
    await page.getByRole('table').getByRole('link', { name: 'keeper' }).click()
    await page.getByRole('heading', { name: 'keeper', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('Page 2').waitFor()
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByRole('button', { name: 'Username' }).click()
    await page.locator('th[aria-sort=ascending]').waitFor()
    await page.getByRole('link', { name: 'walker-20' }).waitFor()
    await page.getByLabel('Search').fill('walker-1')
    await page.getByLabel('Role').selectOption('user')
    await page.getByRole('link', { name: 'walker-20' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('rowheader').count(), 10)
    await page.waitForURL(/q=walker-1.*sort=username/)
    await assertNoBarriers(page)
    await page.getByLabel('Role').selectOption('support')
    await page.getByText('No user matches.').waitFor()
    const search = page.getByLabel('Search')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByText('Page 1').waitFor()
    assert.equal(await search.inputValue(), '')
    await page.goBack()
    await page.getByText('No user matches.').waitFor()
    assert.equal(await search.inputValue(), 'walker-1')
    assert.deepEqual(complaints, [])
  })

  it('are banned with a hostile reason, which is shown as text, and unbanned', async () => {
    const { page, complaints } = await stage.open('/users?q=walker-07')
    await page.getByRole('link', { name: 'walker-07' }).click()
    await page.getByRole('button', { name: 'Ban…', exact: true }).click()
    await page.getByLabel('Reason').fill(hostile)
    await assertNoBarriers(page, [390])
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByText('User walker-07 has been banned').waitFor()
    await page.locator('.text', { hasText: hostile }).waitFor()
    await page.locator('.change', { hasText: hostile }).waitFor()
    await page.locator('.change', { hasText: 'banned: false → true' }).waitFor()
    await assertNoBarriers(page)
    await page.getByRole('button', { name: 'Unban' }).click()
    await page.getByText('active').waitFor()
    // Where the act started.
    assert.equal(await page.locator(':focus').textContent(), 'Ban…')
    assert.deepEqual(complaints, [])
  })

  it('are banned from the list with two clicks, which Undo takes back, and have the other acts in the same menu', async () => {
    const { page, complaints } = await stage.open('/users?q=walker-08')
    const menu = page.getByRole('button', { name: 'Actions on walker-08' })
    const isBanned = async () =>
      (await stage.service.request('GET', '/admin/user/search?username=walker-08', { token })).body.user.banned
    await menu.click()
    await assertNoBarriers(page, [390])
    await page.getByRole('menuitem', { name: 'Ban', exact: true }).click()
    await page.getByText('User walker-08 has been banned').waitFor()
    await page.getByRole('cell', { name: 'banned' }).waitFor()
    assert.equal(await isBanned(), true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('cell', { name: 'banned' }).waitFor({ state: 'detached' })
    assert.equal(await isBanned(), false)
    await menu.click()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), [
      ...[
        'Ban',
        'Ban with a reason or an end…',
        'Change role…',
        'Rename…',
        'Revoke all access…',
        'Reset password…',
        'Delete…',
      ],
    ])
    await page.getByRole('menuitem', { name: 'Rename…' }).click()
    await page.getByRole('dialog', { name: 'Rename: walker-08' }).getByLabel('New username').waitFor()
    await page.keyboard.press('Escape')
    await until(
      async () => (await page.evaluate('document.activeElement.ariaLabel')) === 'Actions on walker-08',
      'the focus',
    )
    await page.goto(`${stage.service.url}/console#/users?q=keeper`)
    await page.getByRole('table').getByRole('link', { name: 'keeper' }).waitFor()
    assert.equal(
      await page.getByRole('button', { name: 'Actions on keeper' }).count(),
      0,
      'nothing is allowed on oneself',
    )
    assert.deepEqual(complaints, [])
  })

  it('are listed with the columns that one chooses, also after a reload, and exported as CSV, whatever page is shown', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await create('-formula')
    const { page, complaints } = await stage.open('/users')
    await page.getByText('Columns', { exact: true }).first().click()
    await page.getByLabel('Id', { exact: true }).check()
    await page.getByLabel('Image requests', { exact: true }).uncheck()
    const heads = async () =>
      (await page.locator('thead th').allTextContents()).map((text) => text.replace(/[↑↓↕]/, ''))
    const chosen = ['Username', 'Role', 'State', 'Created', 'Requests', 'Id', 'Actions']
    assert.deepEqual(await heads(), chosen)
    await assertNoBarriers(page)
    await page.reload()
    await page.getByRole('table').waitFor()
    assert.deepEqual(await heads(), chosen)
    await page.getByText('Columns', { exact: true }).first().click()
    for (const name of ['Changed', 'Image requests', 'Account requests', 'Administration requests'])
      await page.getByLabel(name, { exact: true }).check()
    for (const width of [1024, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const frame = await page.getByRole('region', { name: 'Users' }).boundingBox()
      const menu = await page.getByRole('button', { name: 'Actions on' }).first().boundingBox()
      const id = await page.locator('td code').first().boundingBox()
      assert.ok(frame && menu && menu.x + menu.width <= frame.x + frame.width, `the menu is in view at ${width}`)
      assert.ok(id && id.height < 100, `the id takes ${id?.height} pixels`)
    }
    const exported = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const lines = readFileSync(await (await exported).path(), 'utf8').split('\r\n')
    assert.equal(lines[0], 'id,username,role,banned,createdAt,updatedAt,total,images,auth,admin')
    assert.equal(lines.filter((line) => /,walker-\d\d,user,(true|false),2/.test(line)).length, 55)
    assert.equal(
      lines.filter((line) => line.includes(",'-formula,user,false,")).length,
      1,
      'no formula for spreadsheets',
    )
    await page.evaluate('localStorage.removeItem("menagerie.user-columns")')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('are exported page by page, with the pauses that the service asks for, until somebody stops it', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/users?q=walker-2&sort=-total')
    await page.getByRole('link', { name: 'walker-20' }).waitFor()
    await page.clock.install()
    const sorts = new Set<string | null>()
    let asked = 0
    await page.route('**/admin/users/dashboard?*limit=500*', (route) => {
      asked++
      const url = route.request().url()
      sorts.add(new URL(url).searchParams.get('sort'))
      if (asked <= 2) return route.fulfill({ status: 429, headers: { 'Retry-After': '30' }, body: '{}' })
      return route.continue({ url: url.replace('limit=500', 'limit=4') })
    })
    const start = page.getByRole('button', { name: 'Export as CSV' })
    await start.click()
    await until(async () => asked === 1, 'the first refusal')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.clock.runFor(60_000)
    assert.equal(asked, 1, 'a stopped export asks no more')
    const downloading = page.waitForEvent('download')
    await start.click()
    await until(async () => asked === 2, 'the second refusal')
    let waitedMs = 0
    for (; asked < 3; waitedMs += 1_000) await page.clock.runFor(1_000)
    assert.ok(waitedMs >= 29_000, `asked again after ${waitedMs} ms`)
    const lines = readFileSync(await (await downloading).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.equal(asked, 5, 'in three pages')
    const names = lines.slice(1).map((line) => String(line.split(',')[1]))
    assert.deepEqual(
      names.toSorted(),
      [...Array(10).keys()].map((index) => `walker-2${index}`),
    )
    assert.deepEqual([...sorts], ['createdAt'], 'not by what changes meanwhile')
    await page.getByRole('button', { name: 'Export as CSV' }).and(page.locator(':focus')).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('show what another administrator did meanwhile, and the message of the service', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/users?q=walker-08')
    await page.getByRole('link', { name: 'walker-08' }).click()
    await page.getByRole('button', { name: 'Ban…', exact: true }).click()
    await page.getByLabel('Reason').waitFor()
    token = (await stage.service.login('warden')).body.accessToken
    await stage.service.request('POST', '/admin/ban', { token, body: { username: 'walker-08', reason: 'first' } })
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('alert').getByText('User is already banned').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('first').first().waitFor()
  })

  it('are created, renamed, given a role, signed out and deleted with the keyboard alone', async () => {
    const { page } = await stage.open('/users')
    const press = async (name: string, within = page.locator('body')) => {
      await within.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Create user')
    await page.locator(':focus').and(page.getByLabel('Username')).waitFor()
    await page.keyboard.type('newcomer')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByText('User newcomer has been created').waitFor()
    await page.getByRole('link', { name: 'newcomer' }).focus()
    await page.keyboard.press('Enter')
    for (const [act, fill, said] of [
      ['Rename', 'old-timer', 'is now old-timer'],
      ['Change role', 'moderator', 'changed to moderator'],
      ['Revoke all access', null, 'has been signed out'],
      ['Delete', null, 'has been deleted'],
    ] as const) {
      await page
        .getByRole('main')
        .getByRole('button', { name: `${act}…`, exact: true })
        .waitFor()
      await press(`${act}…`, page.getByRole('main'))
      const dialog = page.getByRole('dialog')
      if (act === 'Rename') await dialog.getByLabel('New username').fill(fill)
      if (act === 'Change role') {
        await dialog.getByRole('radio', { name: 'user' }).and(page.locator(':focus')).waitFor()
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('ArrowDown')
        assert.ok(await dialog.getByRole('radio', { name: fill }).isChecked())
      }
      await press(act, dialog)
      await dialog.waitFor({ state: 'detached' })
      await page.locator('.toast', { hasText: said }).first().waitFor()
      if (act === 'Rename') await page.getByRole('heading', { name: fill, level: 1 }).waitFor()
      if (act !== 'Delete') assert.equal(await page.locator(':focus').textContent(), `${act}…`)
    }
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  })

  it('are not created with a name that breaks the rule, which the form says, and a taken name is marked', async () => {
    const { page, complaints } = await stage.open('/users')
    const sent: string[] = []
    page.on('request', (request) => void sent.push(request.url()))
    await page.getByRole('button', { name: 'Create user' }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('Username')
    await dialog.getByText('3 to 32 letters, digits, underscores, hyphens and dots.').waitFor()
    await name.fill('no spaces please')
    await dialog.getByRole('button', { name: 'Create' }).click()
    assert.match(await page.evaluate<string>('document.activeElement.validationMessage'), /^3 to 32 letters/)
    assert.equal(sent.filter((url) => url.includes('/create')).length, 0)
    await name.fill(' Keeper ')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Username already exists').waitFor()
    assert.equal(await name.getAttribute('aria-invalid'), 'true')
    assert.equal(await dialog.getByLabel('Password').getAttribute('aria-invalid'), null)
    await assertNoBarriers(page, [390])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('have forms that say the rule of a password and of the end of a ban before, and mark either if it is refused', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/users?q=walker-09')
    const dialog = page.getByRole('dialog')
    const rule = 'Password must be at least 8 characters and at most 1024 bytes'
    const field = (label: string) => dialog.getByLabel(label, { exact: true })
    const noteOf = async (label: string) =>
      String(await page.locator(`[id="${await field(label).getAttribute('aria-describedby')}"]`).textContent())
    const assertMarked = async (label: string) => {
      assert.equal(await field(label).getAttribute('aria-invalid'), 'true')
      assert.equal(await dialog.locator('[aria-invalid]').count(), 1)
      const message = await field(label).getAttribute('aria-errormessage')
      assert.equal(await dialog.getByRole('alert').getAttribute('id'), message)
    }
    await page.getByRole('button', { name: 'Create user' }).click()
    assert.ok((await noteOf('Password')).startsWith(rule))
    await field('Username').fill('short')
    await field('Password').fill('1234567')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText(rule).waitFor()
    await assertMarked('Password')
    await page.keyboard.press('Escape')
    await dialog.getByText('Press Escape again').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions on walker-09' }).click()
    await page.getByRole('menuitem', { name: 'Ban with a reason or an end…' }).click()
    assert.match(await noteOf('Reason'), /^At most 500 characters/)
    assert.match(await noteOf('End'), /^In the future/)
    await field('Reason').fill('spam')
    await field('End').fill('2001-01-01T00:00')
    await dialog.getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog.getByRole('alert').getByText('The end must be').waitFor()
    await assertMarked('End')
    await page.keyboard.press('Escape')
    await dialog.getByText('Press Escape again').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(complaints, [])
  })

  it('have a page with their sign-ins and embed links, which signing them out ends', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const person = await stage.service.register('linked')
    const token = person.accessToken
    const terms = { kinds: ['fox', 'hug'] }
    for (const body of [terms, { kind: 'hug' }]) await stage.service.request('POST', '/auth/embed', { token, body })
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'
    await consoleBrowser(stage.service, { 'user-agent': agent }).signIn('linked')
    await consoleBrowser(stage.service, { 'user-agent': agent.replace('X11; Linux x86_64', 'Macintosh') }).signIn(
      'linked',
    )
    const { page, complaints } = await stage.open(`/users/${person.id}`)
    const signIns = page.getByRole('list', { name: 'Sign-ins' }).getByRole('listitem')
    await signIns.nth(1).waitFor()
    assert.match(String(await signIns.last().textContent()), /^Firefox on Linux last used .* from 127\.0\.0\.1Sign out/)
    await page.getByRole('button', { name: 'Sign out Firefox on macOS' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Firefox on macOS has been signed out').waitFor()
    await signIns.nth(1).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign out Firefox on Linux' }).waitFor()
    await page.getByText('fox, hug', { exact: true }).waitFor()
    await assertNoBarriers(page, [390, 1280])
    await page.getByRole('button', { name: 'Revoke link to hug' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Embed link revoked').waitFor()
    await page.getByRole('button', { name: 'Revoke link to hug' }).waitFor({ state: 'detached' })
    await page.getByText('never used').waitFor()
    await page.locator('main').getByRole('button', { name: 'Revoke all access…', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all access' }).click()
    await page.getByText('No sign-ins to the console. The token of a program is not among them.').waitFor()
    await page.getByText('No embed links.').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('lead from what was done to an account to what its user did', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/users?q=keeper')
    await page.getByRole('region', { name: 'Users' }).getByRole('link', { name: 'keeper' }).click()
    await page.getByRole('heading', { name: 'What was done to this account' }).waitFor()
    await page.getByRole('link', { name: 'What keeper did' }).click()
    await page.waitForURL(/audit\?actor=/)
    await page.getByRole('rowheader', { name: 'create an account' }).first().waitFor()
    assert.deepEqual(complaints, [])
  })

  it('show the wrong passwords of 15 minutes, or at least those among the newest events', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const person = await stage.service.register('guessed')
    const { page } = await stage.open('/users')
    const event = { actor: null, target: person.id, action: 'login', outcome: 'refused: Invalid credentials' }
    let next: string | null = null
    let minutesAgo = 14
    await page.route(/admin\/audit\?.*target=/, (route) => {
      const at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
      const events = [3, 4].map((count) => ({ ...event, at, id: `${count}`, count, address: '192.0.2.7' }))
      return route.fulfill({ json: { status: 200, events, next } })
    })
    const open = async () => {
      await page.evaluate("location.hash = '/users'")
      await page.reload()
      await page.evaluate(`location.hash = '/users/${person.id}'`)
    }
    await open()
    const guesses = page.locator('dd', { hasText: 'in the last 15 minutes.' })
    await guesses.waitFor()
    assert.match(String(await guesses.textContent()), /^7 in the last/)
    next = 'more'
    await open()
    await guesses.filter({ hasText: /^at least 7 in the last/ }).waitFor()
    minutesAgo = 16
    await open()
    await page.getByRole('heading', { name: 'guessed' }).waitFor()
    await page.getByRole('heading', { name: 'Embed links' }).waitFor()
    await page.getByText('Invalid credentials').first().waitFor()
    assert.equal(await guesses.count(), 0)
    await page.close()
  })

  it('say what the rules forbid before the click', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/users?q=keeper', { username: 'warden' })
    await page.getByRole('link', { name: 'keeper' }).click()
    const button = page.getByRole('button', { name: 'Delete' })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    const reason = page.locator(`#${await button.getAttribute('aria-describedby')}`)
    assert.equal(
      await reason.textContent(),
      'Your role, admin, does not allow acts on this user, whose role is owner. ',
    )
    assert.equal(await button.getAttribute('title'), 'You do not have permission to delete this user')
    await button.click({ force: true })
    assert.equal(await page.getByRole('dialog').count(), 0)
    await assertNoBarriers(page, [390])
  })

  it('are looked up by name by those who are not allowed to list them', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/users', { username: 'helper' })
    await page.getByLabel('Username').fill('walker-01')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('heading', { name: 'walker-01', level: 1 }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'What was done to this account' }).count(), 0)
  })
})
