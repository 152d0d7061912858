import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from 'pg'
import { type PostgresLease, postgresLease } from '../../../src/drivers/status-state/postgres.ts'
import { sqliteLease } from '../../../src/drivers/status-state/sqlite.ts'
import type { Component, Incident } from '../../../src/status/component.ts'
import { newPublication } from '../../../src/status/publication.ts'
import { noSchedule } from '../../../src/status/schedule.ts'
import type { Changes, StateLease, StateStore, Transition } from '../../../src/status/state-store.ts'
import { atEnd, atEndOfFile } from '../../support/at-end.ts'
import { spawn } from '../../support/spawn.ts'
import { type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

/** Creates empty places for a worker's state; `drop` removes one. */
export interface StateStage {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  make(): Promise<StatePlace>
}

export interface StatePlace {
  readonly dataDir: string
  readonly databaseUrl: string | null
  lease(other?: Partial<PostgresLease>): StateLease
  /** Waits for the lease. Closed at the end of the test, if not before. */
  acquire(other?: Partial<PostgresLease>): Promise<Held>
  drop(): Promise<void>
}

export interface Held {
  readonly store: StateStore
  readonly lost: Error[]
  close(): Promise<void>
}

export const never = new AbortController().signal
export const silentLog = { error() {}, info() {}, warn() {} }

const stageOn = (store: Store): StateStage => ({
  name: store.name,
  skip: store.skip,
  async make() {
    const { env, drop } = await store.make()
    const [dataDir, databaseUrl] = [env.DATA_DIR ?? '', env.DATABASE_URL ?? null]
    const lease: StatePlace['lease'] = (other) =>
      databaseUrl === null
        ? sqliteLease({ dataDir })
        : postgresLease({ url: databaseUrl, log: silentLog, pollMs: 20, answerMs: 5_000, ...other })
    return {
      dataDir,
      databaseUrl,
      lease,
      async acquire(other) {
        const made = lease(other)
        const close = atEndOfFile(() => made.close())
        const lost: Error[] = []
        const store = await made.acquire(never, (reason) => lost.push(reason))
        return { store, lost, close }
      },
      drop,
    }
  },
})

export const stateStages = stores.map(stageOn)

/** Resolves when a statement waits for a lock. */
export const untilBlocked = (client: Client) =>
  until(async () => {
    // Otherwise the transaction keeps its first snapshot.
    await client.query('SELECT pg_stat_clear_snapshot()')
    const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    return (await client.query(`SELECT ${waiting}`)).rowCount !== 0
  }, 'a statement to wait for a lock')

/** A save with the given parts; the others are empty. */
export const changesOf = (some: Partial<Changes>): Changes => ({
  components: [],
  opened: [],
  resolved: [],
  moved: [],
  audited: [],
  ...some,
})

type ComponentParts = Partial<Component> & { readonly sequence?: number }

export const componentOf = (id: string, { sequence = 0, ...some }: ComponentParts = {}): Component => ({
  id,
  lastHeartbeatAt: 1_000,
  aliveAt: 1_000,
  changedAt: 1_000,
  upAt: 1_000,
  downAt: 1_000,
  lastReportedStatus: 'operational',
  instances: [],
  message: null,
  exitCode: null,
  runs: [],
  lastRun: null,
  incident: null,
  maintenanceId: null,
  schedule: noSchedule,
  deadline: 0,
  retiredAs: null,
  upSince: 0,
  publications: [newPublication({ name: 'default', page: 'https://status.test', isAlert: false }, sequence)],
  ...some,
})

export const incidentOf = (id: string, startedAt = 1_000): Incident => ({
  id,
  startedAt,
  detectedAt: startedAt + 5,
  lastReportedStatus: 'operational',
  message: `of ${id}`,
})

export const movedTo = (to: Transition['to'], at: number, from: Transition['from'] = null): Transition => ({
  at,
  from,
  to,
  cause: 'heartbeat',
  message: null,
})

/** The rows as they were saved. */
export const unnumbered = <Row extends { readonly number: number }>(rows: readonly Row[]): Omit<Row, 'number'>[] =>
  rows.map(({ number: _, ...row }) => row)

export const allIncidents = (store: StateStore) => store.incidents({ componentId: null, isOpen: null, limit: 100_000 })

/**
 * A worker in another process. It prints `held` when it leads, then saves `numbered(n)`, `numbered(n + 1)`, … and prints
 * each number that was saved, and `lost` when it has lost the lease.
 */
export async function startHolder({ dataDir, databaseUrl }: StatePlace, { writesFrom = 0, pace = '' } = {}) {
  const folder = join(import.meta.dirname, '../../../src/drivers/status-state')
  const script = `
    import { writeSync } from 'node:fs'
    import { openStateLease } from ${JSON.stringify(join(folder, 'open-lease.ts'))}
    import { changesOf, numbered } from ${JSON.stringify(join(import.meta.dirname, 'stage.ts'))}
    const place = ${JSON.stringify({ dataDir, databaseUrl })}
    const log = { info() {}, warn() {} }
    const open = ${pace === '' ? 'openStateLease' : `(await import(${JSON.stringify(join(folder, 'postgres.ts'))})).postgresLease`}
    const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = place
    const lease = await open({ DATA_DIR, DATABASE_URL, STATUS_DATABASE_URL: null, url: DATABASE_URL, log, ${pace} }, log)
    const store = await lease.acquire(new AbortController().signal, () => writeSync(1, 'lost\\n'))
    writeSync(1, 'held\\n')
    if (${writesFrom} === 0) setInterval(() => {}, 1e9)
    else for (let n = ${writesFrom}; ; n++) {
      await store.save(numbered(n))
      writeSync(1, n + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = atEnd(() => ended(child))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.value !== 'held') throw new Error('the other worker ended before it had the state')
  return { child, lines, kill }
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The n-th change: one of five components in turn; each resolves the incident of the one before. */
export const numbered = (n: number): Changes => ({
  components: [componentOf(`c${n % 5}`, { sequence: n })],
  opened: [{ componentId: `c${n % 5}`, incident: incidentOf(`incident-${n}`, n) }],
  resolved: n > 1 ? [{ incidentId: `incident-${n - 1}`, at: n }] : [],
  moved: [{ componentId: `c${n % 5}`, transition: movedTo('outage', n) }],
  audited: [],
})

/** The number of saved changes; throws if one was saved in part. */
export async function numberedIn(store: StateStore): Promise<number> {
  const components = await store.load()
  const newest = Math.max(0, ...components.flatMap(({ publications }) => publications.map(({ sequence }) => sequence)))
  const incidents = await allIncidents(store)
  const transitions = await Promise.all(components.map(({ id }) => store.transitions(id, { limit: 100_000 })))
  const found = {
    incidents: incidents.length,
    open: incidents.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id),
    transitions: transitions.flat().length,
  }
  const expected = { incidents: newest, open: newest > 0 ? [`incident-${newest}`] : [], transitions: newest }
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`torn: ${JSON.stringify({ found, expected })}`)
  return newest
}
