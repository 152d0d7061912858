import { existsSync, realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { type Config, readConfig } from '../../config/config.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import { closing } from '../../lib/closing.ts'
import { describeFailure } from '../../lib/failure.ts'
import { counted, inBytes } from '../amounts.ts'
import { checkUnused } from '../check-unused.ts'
import type { Cli } from '../cli-context.ts'
import { Failed, WrongUsage } from '../failure.ts'
import { explained } from '../images/image-store.ts'
import { interruptible } from '../interrupt.ts'
import type { Screen } from '../progress.ts'
import { copyDatabase, endDatabase, type Sums, verifyDatabase, wasMoved } from './copy-databases.ts'
import { nameOf, type OpenDatabase, openDatabases } from './databases.ts'
import type { Job } from './job.ts'
import { openObjects, placeOfObjects } from './objects.ts'
import { moveSecret } from './secret.ts'

export interface Route {
  readonly from?: string
  readonly to: string
}

const configured = 'env'

export async function move(cli: Cli, screen: Screen, route: Route): Promise<void> {
  const config = readConfig(cli.env)
  const places = placesOf(config, route)
  if (route.from === configured) checkElsewhere(config)
  checkFolders(places.from.DATA_DIR, places.to.DATA_DIR)
  // If the configured stores are elsewhere, DATA_DIR may be missing.
  if (route.from !== configured) checkThere(places.from.DATA_DIR)
  const result = await interruptible(cli, (signal) =>
    explained(config, () => moveAll({ cli, screen, ...places, signal }, config)),
  )
  await cli.out.print({ from: route.from ?? config.DATA_DIR, to: route.to, ...result }, linesOf(result).join('\n'))
  if (result.images && places.to.S3_ENDPOINT === null && cli.env.S3_BUCKET)
    cli.out.note(
      `The images are in the bucket ${config.S3_BUCKET}: keep S3_BUCKET=${config.S3_BUCKET}, and remove the other settings.`,
    )
}

/** A folder is the place of a service that has no settings for other stores. */
function placesOf(config: Config, { from = config.DATA_DIR, to }: Route): Pick<Job, 'from' | 'to'> {
  if ((from === configured) === (to === configured))
    throw new WrongUsage(`One of --from and --to must be ${configured}: the stores that the settings name.`)
  if (from === '' || to === '') throw new WrongUsage('--from and --to need a folder, or env.')
  const dataDir = realPathOf(config.DATA_DIR)
  const [source, target] = [from, to].map((place): Config => {
    if (place === configured) return { ...config, DATA_DIR: dataDir }
    const outside = { DATABASE_URL: null, STATUS_DATABASE_URL: null, S3_ENDPOINT: null, JWT_SECRET: null }
    return { ...config, ...outside, DATA_DIR: realPathOf(place) }
  }) as [Config, Config]
  return { from: source, to: target }
}

const realPathOf = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path))

function checkThere(folder: string): void {
  if (!existsSync(folder)) throw new Failed(`${folder}: no such folder; check DATA_DIR and --from.`)
}

/** Without such a setting, a copy of DATA_DIR would look like a move back. */
function checkElsewhere({ DATABASE_URL, STATUS_DATABASE_URL, S3_ENDPOINT, DATA_DIR }: Config): void {
  if ([DATABASE_URL, STATUS_DATABASE_URL, S3_ENDPOINT].every((setting) => setting === null))
    throw new Failed(
      `Nothing to move (everything is in ${DATA_DIR}). Check DATABASE_URL, STATUS_DATABASE_URL and S3_ENDPOINT.`,
    )
}

function checkFolders(from: string, to: string): void {
  if (from.startsWith(`${to}${sep}`) || to.startsWith(`${from}${sep}`))
    throw new Failed(`${to} and ${from} are inside one another; choose another folder.`)
  for (const folder of new Set([from, to])) checkUnused(folder)
}

type Result = Awaited<ReturnType<typeof moveAll>>

async function moveAll(job: Job, config: Config) {
  const { from, to } = job
  const opened = await openDatabases(from, to)
  await using _databases = closing(opened)
  const { databases, stay } = opened
  const isSamePlace = placeOfObjects(from) === placeOfObjects(to)
  const objects = isSamePlace ? null : await openObjects(job)
  await using _objects = closing(objects)
  const where = isSamePlace ? `, in ${placeOfObjects(to)} before and after` : ': there are none'
  const stays = [...stay, ...(objects ? [] : [`images${where}`])]
  if (databases.length === 0 && objects === null)
    throw new Failed(`Nothing to move (${stays.join('; ')}). Check DATABASE_URL, STATUS_DATABASE_URL and S3_ENDPOINT.`)
  const wasComplete = await wasMoved(job, databases)
  await objects?.check()
  // Needed for the secret even if nothing else goes there. Checked before anything is copied.
  prepareDataDir(to.DATA_DIR)
  const moved = await orUnfinished(() => explained(config, () => copyAll(job, { databases, objects, wasComplete })))
  return { wasComplete, ...moved, notMoved: [...stays, ...neverMoved] }
}

interface Parts {
  readonly databases: readonly OpenDatabase[]
  readonly objects: Awaited<ReturnType<typeof openObjects>>
  readonly wasComplete: boolean
}

async function copyAll(job: Job, { databases, objects, wasComplete }: Parts) {
  if (!wasComplete) {
    for (const database of databases) await copyDatabase(job, database)
    await objects?.copy()
  }
  const moved: { id: string; from: string; to: string; tables: Sums }[] = []
  for (const database of databases) {
    const tables = await verifyDatabase(job, database)
    moved.push({ id: database.id, from: database.source.where, to: database.target.where, tables })
  }
  const images = objects && { from: objects.from, to: objects.to, ...(await objects.verify()) }
  for (const { source } of databases) await source.checkUnused()
  const secret = moveSecret(job.from, job.to)
  if (!wasComplete) for (const database of databases) await endDatabase(database)
  return { databases: moved, images, secret }
}

async function orUnfinished<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const reason = describeFailure(error)
    if (reason === null) throw error
    throw new Failed(
      `${reason.replace(/\.$/, '')}. The move is not finished: run the same command again to continue it.`,
    )
  }
}

/** What no move can carry over. */
const neverMoved = [
  'rate limit counters (in memory or Redis): they start from zero',
  'catalogue.db, a cache: the next start lists the images again',
]

function linesOf({ wasComplete, databases, images, secret, notMoved }: Result): string[] {
  const verb = wasComplete ? 'Found' : 'Moved'
  return [
    ...(wasComplete ? ['An earlier move was already complete: this one compared both sides and changed nothing.'] : []),
    ...databases.map(({ id, from, to, tables }) => {
      const sums = Object.values(tables)
      const rows = sums.reduce((sum, each) => sum + each.rows, 0)
      return `${verb} ${nameOf(id)}: ${counted(rows, 'row')} in ${counted(sums.length, 'table')}, from ${from} to ${to}`
    }),
    ...(images
      ? [`${verb} ${counted(images.objects, 'object')} (${inBytes(images.bytes)}) from ${images.from} to ${images.to}`]
      : []),
    ...notMoved.map((each) => `Not moved: ${each}`),
    'Counts and checksums of both sides are equal. The source was not changed.',
    secret.text,
  ]
}
