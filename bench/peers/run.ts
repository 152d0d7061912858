import { join } from 'node:path'
import type { ContestOptions } from '../contest.ts'
import { withDatabase } from '../database.ts'
import { benchPostgres } from '../images-postgres.ts'
import { benchSizes } from '../images-sizes.ts'
import { compareAccounts, compareLists } from './accounts.ts'
import { compareHeartbeats } from './heartbeats.ts'
import { compareImages, compareSizes } from './images.ts'
import { compareRandom } from './random.ts'
import { machine, writeReport } from './report.ts'
import { installPeers } from './servers.ts'

interface Options extends ContestOptions {
  readonly floodMs: number
  readonly isQuick: boolean
  /** Write the report into `docs`. */
  readonly isWritten: boolean
}

/** npm run bench -- --peers [--write]: beside what people would otherwise write or run. */
export async function benchPeers({ isWritten, isQuick, ...options }: Options): Promise<void> {
  installPeers()
  console.log(machine())
  const databaseUrl = process.env.TEST_DATABASE_URL
  const comparisons = [
    await compareAccounts(options),
    await compareRandom(options),
    await compareImages(options),
    await compareSizes(options),
    ...(await compareLists(options)),
    await compareHeartbeats(options),
  ]
  const gates = [
    ...(await benchSizes(options)),
    ...(await withDatabase(databaseUrl, (url) => benchPostgres({ ...options, databaseUrl: url }))),
  ]
  const missing = databaseUrl ? [] : ['Two instances against one: it needs `TEST_DATABASE_URL`.']
  if (isWritten)
    writeReport(join(import.meta.dirname, '../../docs'), { rounds: options, isQuick, comparisons, gates, missing })
}
