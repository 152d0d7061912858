import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openWorker } from '../status/worker-stage.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { png } from '../support/pictures.ts'
import { password } from '../support/service.ts'
import { until } from '../support/until.ts'
import { type ConsoleStage, openConsoleStage } from './stage.ts'

/** A press of the pointer or of Enter; typing into the field that has the focus is none. */
interface Step {
  readonly presses: number
  act(page: Page): Promise<unknown>
}

interface Task {
  readonly name: string
  /** The presses of version 0.2, from the overview on. */
  readonly before: number
  readonly steps: readonly Step[]
  /** Whether it is done, as the service sees it. */
  isDone(): Promise<boolean>
}

type Role = 'button' | 'radio' | 'checkbox' | 'link'

const press = (role: Role, name: string, modifiers: readonly 'Shift'[] = []): Step => ({
  presses: 1,
  act: (page) => page.getByRole(role, { name, exact: true }).click({ modifiers: [...modifiers] }),
})

/** In the dialog that the press before has opened. */
const confirm = (name: string, role: Role = 'button'): Step => ({
  presses: 1,
  act: (page) => page.getByRole('dialog').getByRole(role, { name, exact: true }).click(),
})

const enter: Step = { presses: 1, act: (page) => page.keyboard.press('Enter') }

const type = (text: string): Step => ({
  presses: 0,
  async act(page) {
    await page.locator(':is(input, textarea):focus').waitFor()
    await page.keyboard.type(text)
  },
})

const files = (count: number, start: string) =>
  Array.from({ length: count }, (_, index) => ({
    name: `${start}${String(index).padStart(2, '0')}.png`,
    mimeType: 'image/png',
    buffer: png(20 + index, start.length),
  }))

/** The button, and that of the browser's dialog. */
const choose = (label: string, count: number): Step => ({
  presses: 2,
  async act(page) {
    const chooser = page.waitForEvent('filechooser')
    await page.getByText(label, { exact: true }).click()
    await (await chooser).setFiles(files(count, 'chosen-'))
  },
})

/** Tomorrow at ten in the evening, as a browser in American English has it. */
const today = new Date()
const evening = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1, 22)
const digits = (...parts: number[]) => parts.map((part) => String(part).padStart(2, '0')).join('')
const typedEvening = `${digits(evening.getMonth() + 1, evening.getDate(), evening.getFullYear())}1000P`

describe('A frequent task of an administrator in the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const send = async (method: string, path: string, body?: object) => {
    const reply = await stage.service.request(method, path, { token, ...(body && { body }) })
    assert.ok(reply.status < 300, `${path}: ${reply.text}`)
    return reply.body
  }
  const isUser = async (username: string) =>
    (await stage.service.request('GET', `/admin/user/search?username=${username}`, { token })).status === 200
  const userOf = async (username: string) => (await send('GET', `/admin/user/search?username=${username}`)).user
  const namesOf = async (kind: string): Promise<string[]> =>
    (await send('GET', `/images/${kind}`)).images.map(({ name }: { name: string }) => name)
  let reported = ''
  let session = ''

  before(async () => {
    const worker = await openWorker()
    stage = await openConsoleStage({ env: { STATUS_WORKER_URL: worker.url, SAMPLE_IMAGES: 'true' } })
    await worker.beat('backup')
    token = (await stage.service.login('keeper')).body.accessToken
    for (const name of ['to-ban', 'to-unban', 'to-promote', 'to-rename', 'to-sign-out', 'to-delete'])
      await send('POST', '/admin/user/create', { username: name, role: 'user', password })
    await send('POST', '/admin/ban', { username: 'to-unban' })
    session = (await stage.service.login('to-sign-out')).body.accessToken
    reported = (await namesOf('bird'))[0] ?? ''
    await send('POST', '/images/report', { name: reported, reason: 'No bird' })
    for (const { name, buffer } of files(12, 'aa-'))
      await stage.service.request('POST', `/admin/s3/upload?bucketName=images&objectName=hug/${name}`, {
        token,
        headers: { 'content-type': 'image/png' },
        body: buffer,
      })
  })

  const tasks: readonly Task[] = [
    {
      name: 'a ban with a reason',
      // Users, the search field, the name, Ban, Ban.
      before: 5,
      steps: [type('to-ban'), press('button', 'Ban… to-ban'), type('spam'), confirm('Ban')],
      isDone: async () => (await userOf('to-ban')).banned,
    },
    {
      name: 'an unban',
      // Users, the search field, the name, Unban, Unban.
      before: 5,
      steps: [type('to-unban'), press('button', 'Unban to-unban')],
      isDone: async () => !(await userOf('to-unban')).banned,
    },
    {
      name: 'a new role',
      // Users, the search field, the name, Change role, the list, the role, Change role.
      before: 7,
      steps: [
        type('to-promote'),
        ...[press('button', 'Change role… to-promote'), confirm('moderator', 'radio'), confirm('Change role')],
      ],
      isDone: async () => (await userOf('to-promote')).role === 'moderator',
    },
    {
      name: 'a new name',
      // Users, the search field, the name, Rename, Enter.
      before: 5,
      steps: [type('to-rename'), press('button', 'Rename… to-rename'), type('renamed'), enter],
      isDone: () => isUser('renamed'),
    },
    {
      name: 'a sign-out of a user',
      // Users, the search field, the name, Sign out, Sign out.
      before: 5,
      steps: [type('to-sign-out'), press('button', 'Revoke all access… to-sign-out'), confirm('Revoke all access')],
      isDone: async () => (await stage.service.request('GET', '/auth/me', { token: session })).status === 401,
    },
    {
      name: 'the deletion of a user',
      // Users, the search field, the name, Delete, Delete.
      before: 5,
      steps: [type('to-delete'), press('button', 'Delete… to-delete'), confirm('Delete')],
      isDone: async () => !(await isUser('to-delete')),
    },
    {
      name: 'an upload of three images',
      // Images, the kind, Choose files, Open.
      before: 4,
      steps: [choose('Upload to fox', 3)],
      isDone: async () => (await namesOf('fox')).filter((name) => name.startsWith('fox/chosen-')).length === 3,
    },
    {
      name: 'hiding a reported image',
      // Reports, Hide.
      before: 2,
      steps: [{ presses: 1, act: (page) => press('button', `Hide ${reported}`).act(page) }],
      isDone: async () => (await stage.service.request('GET', `/i/${reported}`)).status === 404,
    },
    {
      name: 'planning a maintenance of one component',
      // Status, Announce maintenance, From, Until, Enter.
      before: 5,
      steps: [press('button', 'Plan maintenance of backup'), type(typedEvening), enter],
      isDone: async () =>
        (await send('GET', '/admin/status/maintenance')).maintenance.some(
          ({ components, from }: { components: string[]; from: string }) =>
            components.join() === 'backup' && from === evening.toISOString(),
        ),
    },
    {
      name: 'the deletion of twelve images',
      // Images, the kind, and the × of each.
      before: 14,
      steps: [
        press('link', 'hug'),
        press('checkbox', 'Select aa-00.png'),
        press('checkbox', 'Select aa-11.png', ['Shift']),
        press('button', 'Delete'),
        confirm('Delete 12 images'),
      ],
      isDone: async () => (await namesOf('hug')).every((name) => !name.startsWith('hug/aa-')),
    },
  ]

  for (const { name, before, steps, isDone } of tasks)
    it(`takes at most half of the presses of 0.2: ${name}`, async () => {
      const presses = steps.reduce((sum, step) => sum + step.presses, 0)
      assert.ok(presses <= before / 2, `${presses} of ${before}`)
      const { page, complaints } = await stage.open('/account')
      await page.reload()
      await page.evaluate("location.hash = '/overview'")
      await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
      assert.equal(await isDone(), false)
      for (const step of steps) await step.act(page)
      await until(isDone, name)
      assert.deepEqual(complaints, [])
      await page.close()
    })
})
