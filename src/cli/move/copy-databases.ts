import { beginMove, copyTable, countRows, endMove, type Sum, sumOf } from '../../drivers/tables/tables.ts'
import { Failed } from '../failure.ts'
import type { OpenDatabase } from './databases.ts'
import type { Job } from './job.ts'

/** Fails if a target has data that does not come from an unfinished move. */
export function checkTargets(databases: readonly OpenDatabase[]): void {
  // A move that was killed at its very end has finished some targets.
  if (databases.some(({ state }) => state === 'unfinished')) return
  const used = databases.find(({ state }) => state === 'used')
  if (used)
    throw new Failed(`${used.target.where} is not empty: it has ${used.name} already; empty it, or choose another.`)
}

export async function copyDatabase(job: Job, database: OpenDatabase): Promise<void> {
  const { tables, version, source, target, state } = database
  if (state === 'used') return
  if (state === 'empty') await beginMove(target, tables, version)
  await job.withProgress(`Copying ${database.name} `, async (progress) => {
    progress.expect(0, await countRows(source, tables))
    for (const table of tables)
      await copyTable(source, target, table, (count) => {
        job.signal.throwIfAborted()
        progress.passed(count)
      })
  })
}

export type Sums = Readonly<Record<string, Sum>>

/** Reads every row on both sides. */
export async function verifyDatabase(job: Job, { name, tables, source, target }: OpenDatabase): Promise<Sums> {
  const sums: Record<string, Sum> = {}
  await job.withProgress(`Verifying ${name} `, async (progress) => {
    progress.expect(0, 2 * (await countRows(source, tables)))
    const onRows = (count: number) => {
      job.signal.throwIfAborted()
      progress.passed(count)
    }
    for (const table of tables) {
      const [theirs, ours] = [await sumOf(source, table, onRows), await sumOf(target, table, onRows)]
      if (theirs.sha256 !== ours.sha256)
        throw new Failed(
          `${table.name} differs: ${theirs.rows} rows in ${source.where}, ${ours.rows} in ${target.where}; stop what changes them.`,
        )
      sums[table.name] = theirs
    }
  })
  return sums
}

/** From here on, the service opens the target. */
export async function endDatabase({ tables, version, target, state }: OpenDatabase): Promise<void> {
  if (state !== 'used') await endMove(target, tables, version)
}
