import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { type Role, roles } from '../../src/accounts/roles.ts'
import { fileName } from '../../src/drivers/accounts/sqlite.ts'
import { type Programs, startPrograms } from '../programs.ts'
import { demoEnv, password, seedAll, wellComponents } from '../seed-all.ts'
import { placeFew, seedFew } from './few.ts'

/** 'many': the demo; 'few': one of everything, with hostile texts; 'empty': an owner alone; 'new': not even that. */
export type WorldName = 'many' | 'few' | 'empty' | 'new'

/** A Wednesday, when the pictures are taken. */
export const now = Date.parse('2026-06-03T14:20:00.000Z')

/** One of each role. */
export type Person = Role

const maxTries = 600

const clock = { now: () => now, monotonic: () => 0 }

export interface World {
  readonly url: string
  /** Their usernames. */
  readonly people: Readonly<Record<Person, string>>
  readonly close: () => Promise<void>
}

const owner = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password }

/** What pictures show depends on nothing of this machine. */
const fixed = {
  BASE_URL: 'http://localhost:3000',
  JWT_SECRET: 'a secret of pictures that is long enough',
  ...Object.fromEntries(['GLOBAL', 'AUTH', 'SESSION'].map((scope) => [`RATE_LIMIT_${scope}_MAX`, '1000000000'])),
  ...Object.fromEntries(['GLOBAL', 'AUTH'].map((scope) => [`RATE_LIMIT_${scope}_SLOW_AFTER`, '1000000000'])),
}

/** Programs whose clock stands still, once the world has its history. */
export async function openWorld(name: WorldName): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'menagerie-pictures-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  try {
    const members = name === 'many' ? await seedAll({ dataDir, seed: 1, now }) : []
    const nameOf = (role: Role) => members.find((each) => each.role === role)?.username ?? 'keeper'
    const people = Object.fromEntries(roles.map((role) => [role, nameOf(role)])) as World['people']
    if (name === 'few') placeFew(dataDir, now)
    const env = { ...fixed, ...(name === 'many' ? demoEnv : name === 'new' ? {} : owner) }
    const programs = await startPrograms({ dataDir, clock, env, resizeMs: 100_000 })
    const close = async () => {
      await programs.close(500)
      remove()
    }
    if (name === 'many') for (const id of wellComponents) await programs.beat(id, { status: 'operational' })
    if (name === 'few') await seedFew(programs, now)
    if (name === 'many') for (const browser of otherBrowsers) await signInFrom(programs.url, browser)
    await countNothing(dataDir)
    await untilPublished(programs)
    return { url: programs.url, people, close }
  } catch (error) {
    remove()
    throw error
  }
}

interface Health {
  readonly components: readonly { readonly lastHeartbeatAt: string; readonly publishedStatus: string | null }[]
}

/** The API reports itself, its database and its object store after its start, and the worker publishes what it hears. */
async function untilPublished({ workerUrl }: Programs): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const { components } = (await (await fetch(`${workerUrl}/health`)).json()) as Health
    const heard = components.filter(({ lastHeartbeatAt }) => Date.parse(lastHeartbeatAt) === now)
    if (heard.length >= 3 && heard.every(({ publishedStatus }) => publishedStatus !== null)) return
    await setTimeout(100)
  }
  throw new Error('The worker has not published the components of the API')
}

const otherBrowsers = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
]

async function signInFrom(url: string, browser: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'user-agent': browser }
  const body = JSON.stringify({ username: 'keeper', password })
  const { status } = await fetch(`${url}/console/session`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`The sign-in was answered with ${status}`)
}

/** The requests for one picture would change the figures of the next: what the service counts and audits later is dropped. */
async function countNothing(dataDir: string): Promise<void> {
  const database = new DatabaseSync(join(dataDir, fileName))
  try {
    for (const table of ['batches', 'audit']) {
      const drop = `CREATE TRIGGER drop_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`
      // The service, in this process, may be in a transaction.
      for (let tries = 1; !tryTo(() => database.exec(drop), tries < maxTries); tries++) await setTimeout(20)
    }
  } finally {
    database.close()
  }
}

function tryTo(act: () => void, mayFail: boolean): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (mayFail) return false
    throw error
  }
}
