import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { writeCursor } from '../src/accounts/admin/page.ts'
import { get, openConnection } from './connection.ts'
import { nameParts, seedCrowd } from './crowd.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { ownerSettings, signInOwner } from './people.ts'
import { type Server, startApi } from './server.ts'
import { readWholeList, type WholeList } from './whole-list.ts'

const users = 100_000
const mostFirstByteMs = 100
const mostGrownMb = 64
const mostDelayMs = 50
const mostPageMs = 20
const paths = ['/admin/users', '/admin/users/dashboard'] as const

export interface AdministrationOptions {
  readonly folder: string
  /** The number of whole lists read, and of requests for each kind of page. */
  readonly reads: number
  readonly pages: number
  /** A fresh database on PostgreSQL. */
  readonly databaseUrl: string | undefined
}

export async function benchAdministration({ databaseUrl, ...options }: AdministrationOptions): Promise<Gate[]> {
  const gates = await onDatabase('SQLite', null, options)
  return databaseUrl ? [...gates, ...(await onDatabase('PostgreSQL', databaseUrl, options))] : gates
}

async function onDatabase(
  name: string,
  databaseUrl: string | null,
  { folder, reads, pages }: Omit<AdministrationOptions, 'databaseUrl'>,
): Promise<Gate[]> {
  const dataDir = await mkdtemp(join(folder, 'crowd-'))
  await seedCrowd({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }, users)
  console.log(`\nAdministration on ${name}: ${users} users`)
  const env = {
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...ownerSettings,
  }
  const server = await startApi(folder, env, 'event-loop-probe.ts')
  try {
    const token = await signInOwner(server.port)
    // What grows the memory comes first, while the server has not grown yet.
    const gates = await benchWholeLists(name, server, token, reads)
    return [...gates, await benchPages(name, server, token, pages)]
  } finally {
    await server.stop()
  }
}

async function benchWholeLists(name: string, server: Server, token: string, reads: number): Promise<Gate[]> {
  const found: WholeList[] = []
  const rows: string[][] = []
  let mostGrown = 0
  for (const path of paths) {
    // The first one warms up, and counts only for its memory.
    const first = await readWholeList(server, path, token)
    mostGrown = Math.max(mostGrown, first.grownMb)
    const lists: WholeList[] = []
    for (let i = 0; i < reads; i += 1) lists.push(await readWholeList(server, path, token))
    const typical = (figure: (list: WholeList) => number, unit = 'ms') =>
      `${median(lists.map(figure)).toFixed(1)} ${unit}`
    rows.push([
      path,
      `${((lists[0]?.bytes ?? 0) / 1e6).toFixed(1)} MB`,
      typical(({ firstByteMs }) => firstByteMs),
      `${most(lists, ({ grownMb }) => grownMb).toFixed(1)} MB`,
      typical(({ delays }) => delays.p99),
      `${most(lists, ({ delays }) => delays.max).toFixed(1)} ms`,
    ])
    found.push(...lists)
  }
  printTable([[`in full, ${reads} times`, 'size', 'first byte', 'memory, worst', 'loop late, p99', 'worst'], ...rows])
  const gate = (promise: string, figure: number, unit: string, held: boolean): Gate => ({
    promise: `${name}, ${users} users in full: ${promise}`,
    figure: `${figure.toFixed(1)} ${unit}`,
    held,
  })
  // The worse of the two lists.
  const worse = (figure: (list: WholeList) => number) =>
    Math.max(...paths.map((_, place) => median(found.slice(place * reads, (place + 1) * reads).map(figure))))
  const firstByteMs = worse((list) => list.firstByteMs)
  const delayMs = worse(({ delays }) => delays.p99)
  const grownMb = Math.max(
    mostGrown,
    most(found, (list) => list.grownMb),
  )
  return [
    gate(`first byte within ${mostFirstByteMs} ms`, firstByteMs, 'ms', firstByteMs <= mostFirstByteMs),
    gate(`memory grows by at most ${mostGrownMb} MB`, grownMb, 'MB', grownMb <= mostGrownMb),
    gate(`event loop late by under ${mostDelayMs} ms at p99`, delayMs, 'ms', delayMs < mostDelayMs),
  ]
}

const most = (lists: readonly WholeList[], figure: (list: WholeList) => number) => Math.max(...lists.map(figure))

const nobody = '00000000-0000-7000-8000-000000000000'
const cursors = {
  createdAt: writeCursor({ sort: 'createdAt', value: Date.now() - 20 * 86_400_000, id: nobody }),
  '-total': writeCursor({ sort: '-total', value: 9, id: nobody }),
  username: writeCursor({ sort: 'username', value: 'vera', id: nobody }),
}
const { common, rare } = nameParts
const kinds = [
  ...'sort=createdAt sort=-createdAt sort=total sort=-total sort=username sort=-username role=moderator'.split(' '),
  ...'role=moderator&sort=-total role=owner role=user banned=true banned=true&sort=-total banned=false'.split(' '),
  'banned=false&sort=username',
  ...['', '&sort=-total', '&sort=username'].flatMap((sort) =>
    Object.values(nameParts).map((part) => `q=${part}${sort}`),
  ),
  ...[`q=${common}&banned=true`, `q=${rare}&role=moderator`, 'role=moderator&banned=true'],
  ...[`role=moderator&q=${common}&sort=-total`, `role=user&banned=false&q=${rare}&sort=-total`],
  ...Object.entries(cursors).map(([sort, cursor]) => `sort=${sort}&cursor=${cursor}`),
]

/** One after another in rotation, so that a busy moment of the machine does not hit only one kind. */
async function benchPages(name: string, server: Server, token: string, count: number): Promise<Gate> {
  const connection = await openConnection(server.port)
  const asked = paths.flatMap((path) => kinds.map((query) => ({ path, query, ms: [] as number[], rows: 0 })))
  for (let round = -2; round < count; round += 1) {
    for (const page of asked) {
      const request = get(`${page.path}?limit=50&${page.query}`, { Authorization: token })
      const startedAt = performance.now()
      const { status, body } = await connection.send(request)
      const ms = performance.now() - startedAt
      if (status !== 200) throw new Error(`${page.path}?${page.query} answered ${status}: ${body}`)
      // The first rounds only warm up.
      if (round >= 0) page.ms.push(ms)
      else page.rows = Object.keys(JSON.parse(body).users).length
    }
  }
  connection.close()
  const shown = (query: string) => query.replace(/cursor=.*/, 'deep cursor')
  const timesOf = (path: string, query: string) => asked.find((page) => page.path === path && page.query === query)
  printTable([
    [`pages of 50, ${count} times`, 'rows', ...paths.flatMap((path) => [path, 'p95'])],
    ...kinds.map((query) => [
      shown(query),
      String(timesOf(paths[0], query)?.rows),
      ...paths.flatMap((path) => {
        const ms = timesOf(path, query)?.ms ?? []
        return [`${median(ms).toFixed(1)} ms`, `${quantile(ms, 0.95).toFixed(1)} ms`]
      }),
    ]),
  ])
  const worst = asked.toSorted((a, b) => median(b.ms) - median(a.ms))[0]
  const worstMs = median(worst?.ms ?? [])
  return {
    promise: `${name}, ${users} users: the slowest kind of page within ${mostPageMs} ms (median)`,
    figure: `${worstMs.toFixed(1)} ms, ${worst?.path}?${shown(worst?.query ?? '')}`,
    held: worstMs <= mostPageMs,
  }
}
