import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Api, end, integrityOf, owner, start } from '../support/killed-service.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env.CRASH_KILLS || sized(1, 5, 20))
const seed = seedOr(1)
const writers = sized(4, 8)
const hook = { timeout: (kills + 2) * 30_000 }

interface State {
  readonly username: string
  readonly role: string
  readonly banned: boolean
}

/** One user, on whom one writer acts. */
interface Target {
  readonly id: string
  state: State
  /** The state if the unanswered request took effect. */
  maybe: State | null
  /** Acts that were answered. */
  acts: number
}

const report = {
  answered: 0,
  unknown: 0,
  lost: [] as string[],
  audit: [] as string[],
  refusals: [] as string[],
  damage: [] as string[],
}

async function call({ url }: Api, method: string, path: string, token: string, body?: object) {
  try {
    const headers = { Authorization: token, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const credentials = (api: Api, path: string, body: object) => call(api, 'POST', path, '', body)

function nextAct(state: State, role: string, random: () => number): [path: string, fields: object, next: State] {
  const newUsername = `n${Math.floor(random() * 1e15).toString(36)}`
  const kind = Math.floor(random() * 3)
  if (kind === 0) return ['edit/role', { role }, { ...state, role }]
  if (kind === 1) return ['edit/username', { newUsername }, { ...state, username: newUsername }]
  return [state.banned ? 'unban' : 'ban', {}, { ...state, banned: !state.banned }]
}

/** One act after another on one user, each of which changes something. */
async function act(api: Api, token: string, target: Target, random: () => number): Promise<void> {
  for (;;) {
    const { state } = target
    const roles = ['user', 'support', 'moderator'].filter((role) => role !== state.role)
    const [path, fields, next] = nextAct(state, roles[0] as string, random)
    target.maybe = next
    const route = path.startsWith('edit') ? `/admin/user/${path}` : `/admin/${path}`
    const answer = await call(api, 'POST', route, token, { userId: target.id, ...fields })
    if (!answer) {
      report.unknown++
      return
    }
    if (answer.status !== 200) report.refusals.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    target.state = next
    target.maybe = null
    target.acts++
    report.answered++
  }
}

/** What was answered holds, what was cut off holds whole or not at all, and each act has its one event. */
async function verify(api: Api, token: string, target: Target): Promise<void> {
  const { user } = (await call(api, 'GET', `/admin/user/search?userId=${target.id}`, token))?.body ?? {}
  const isAs = (state: State) =>
    user?.username === state.username && user.role === state.role && user.banned === state.banned
  const happened = target.maybe !== null && isAs(target.maybe)
  if (!happened && !isAs(target.state)) report.lost.push(`${JSON.stringify(target)} is ${JSON.stringify(user)}`)
  if (happened) {
    target.state = target.maybe as State
    target.acts++
  }
  target.maybe = null
  let events = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/admin/audit?target=${target.id}&limit=500${cursor && `&cursor=${cursor}`}`
    const page = (await call(api, 'GET', path, token))?.body
    events += page.events.filter(
      ({ action, outcome }: Record<string, string>) => action !== 'register' && outcome === 'success',
    ).length
    cursor = page.next
  }
  if (events !== target.acts) report.audit.push(`${target.id}: ${events} events for ${target.acts} acts`)
}

describe(`kill -9 while ${writers} writers ban, promote and rename, on SQLite: ${kills} kills, seed ${seed}`, () => {
  let dataDir: string
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'menagerie-acts-'))
    const random = seededRandom(seed)
    const targets: Target[] = []
    for (let kill = 0; kill <= kills; kill++) {
      const api = await start(dataDir)
      try {
        const token = (await credentials(api, '/auth/login', owner))?.body.accessToken
        while (targets.length < writers) {
          const username = `target-${targets.length}`
          const made = await credentials(api, '/auth/register', { username, password: 'correct horse' })
          targets.push({
            id: made?.body.user.id,
            state: { username, role: 'user', banned: false },
            maybe: null,
            acts: 0,
          })
        }
        await Promise.all(targets.map((target) => verify(api, token, target)))
        report.damage.push(...integrityOf(dataDir))
        if (kill === kills) break
        const fire = targets.map((target) => act(api, token, target, random))
        // The traffic sets the moment: after this many responses.
        const enough = report.answered + 1 + Math.floor(random() * 100)
        await until(() => report.answered >= enough || report.refusals.length > 0)
        api.child.kill('SIGKILL')
        await Promise.all(fire)
      } finally {
        await end(api)
      }
    }
  }, hook)
  after(() => rm(dataDir, { recursive: true, force: true }))

  test('the service was killed while busy', (t) => {
    t.diagnostic(`${report.answered} acts answered, ${report.unknown} cut off`)
    assert.ok(report.answered >= kills && report.unknown >= kills)
    assert.deepEqual(report.refusals, [])
  })
  test('an answered act persists, and an unanswered one persists whole or not at all', () =>
    assert.deepEqual(report.lost, []))
  test('each persisted act has exactly one event', () => assert.deepEqual(report.audit, []))
  test('the database is intact after every kill', () => assert.deepEqual(report.damage, []))
})
