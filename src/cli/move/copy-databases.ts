import { beginMove, copyTable, countRows, endMove, type Sum, sumOf } from '../../drivers/tables/tables.ts'
import { Failed } from '../failure.ts'
import { createProgress, type Progress } from '../progress.ts'
import type { OpenDatabase } from './databases.ts'
import type { Job } from './job.ts'

/**
 * Whether an earlier move has already copied everything. Fails if a target has data that is not the source's, unless it
 * comes from an unfinished move.
 */
export async function wasMoved(job: Job, databases: readonly OpenDatabase[]): Promise<boolean> {
  // A move that was killed at its very end has finished some targets.
  if (databases.some(({ state }) => state === 'unfinished')) return false
  const used = databases.find(({ state }) => state === 'used')
  if (!used) return false
  for (const database of databases)
    if (Object.values(await sumsOf(job, database)).some(({ theirs, ours }) => theirs.sha256 !== ours.sha256))
      throw new Failed(
        `${used.target.where} is not empty, and differs from ${used.source.where}: its ${used.name} are of another service, or a service has used it since a finished move. Empty it, or choose another.`,
      )
  return true
}

export async function copyDatabase(job: Job, database: OpenDatabase): Promise<void> {
  const { tables, version, source, target, state } = database
  if (state === 'used') return
  if (state === 'empty') await beginMove(target, tables, version)
  using progress = createProgress(job.screen, job.cli.clock, `Copying ${database.name} `)
  progress.expect(0, await countRows(source, tables))
  for (const table of tables) await copyTable(source, target, table, countingRows(job, progress))
}

export type Sums = Readonly<Record<string, Sum>>

/** Reads every row on both sides. */
async function sumsOf(job: Job, { name, tables, source, target }: OpenDatabase) {
  const sums: Record<string, { readonly theirs: Sum; readonly ours: Sum }> = {}
  using progress = createProgress(job.screen, job.cli.clock, `Verifying ${name} `)
  progress.expect(0, 2 * (await countRows(source, tables)))
  const onRows = countingRows(job, progress)
  for (const table of tables)
    sums[table.name] = { theirs: await sumOf(source, table, onRows), ours: await sumOf(target, table, onRows) }
  return sums
}

const countingRows =
  ({ signal }: Job, progress: Progress) =>
  (count: number) => {
    signal.throwIfAborted()
    progress.passed(count)
  }

export async function verifyDatabase(job: Job, database: OpenDatabase): Promise<Sums> {
  const { source, target } = database
  const sums = Object.entries(await sumsOf(job, database))
  for (const [name, { theirs, ours }] of sums)
    if (theirs.sha256 !== ours.sha256)
      throw new Failed(
        `${name} differs: ${theirs.rows} rows in ${source.where}, ${ours.rows} in ${target.where}; stop what changes them.`,
      )
  return Object.fromEntries(sums.map(([name, { theirs }]) => [name, theirs]))
}

/** From here on, the service opens the target. */
export async function endDatabase({ tables, version, target, state }: OpenDatabase): Promise<void> {
  if (state !== 'used') await endMove(target, tables, version)
}
