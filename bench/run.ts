import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAdministration } from './administration.ts'
import { benchConsole } from './console.ts'
import { benchCounting } from './counting.ts'
import { withDatabase } from './database.ts'
import type { Gate } from './figures.ts'
import { benchGuardedRoute } from './guarded-route.ts'
import { benchHeartbeats } from './heartbeats.ts'
import { benchDelivery } from './images-delivery.ts'
import { benchEmbed } from './images-embed.ts'
import { benchFirstListing } from './images-many.ts'
import { benchPostgres } from './images-postgres.ts'
import { benchRandom } from './images-random.ts'
import { benchSizes } from './images-sizes.ts'
import { benchSlowReaders } from './images-slow-readers.ts'
import { benchUploads } from './images-uploads.ts'
import { benchLimits } from './limits.ts'
import { benchLogins } from './logins.ts'
import { benchPeers } from './peers/run.ts'
import { benchStartUp } from './start-up.ts'

/*
 * npm run bench -- [--quick] [--report]: with --report, a missed figure is printed without failing.
 * npm run bench -- --peers [--quick] [--write]: beside other services instead; --write prints docs/benchmarks.md.
 */

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const pick = (quick: number, full: number) => (flags.quick ? quick : full)
const size = {
  rounds: pick(5, 7),
  roundMs: pick(600, 2000),
  starts: pick(1, 5),
  accounts: pick(20, 60),
  reads: pick(1, 3),
  floodMs: pick(3000, 10_000),
  pages: pick(10, 30),
  countingRounds: pick(5, 10),
  slowMs: pick(3000, 8000),
  manyObjects: pick(1_000_000, 10_000_000),
  listedObjects: pick(250_000, 1_000_000),
}

const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

if (flags.peers) {
  await benchPeers({ folder, ...size, isQuick: flags.quick, isWritten: flags.write })
  process.exit()
}
console.log(
  `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}, Node ${process.version}`,
)
const gates: Gate[] = [
  ...(await benchGuardedRoute({ folder, ...size })),
  ...(await benchCounting({ folder, rounds: size.countingRounds })),
  ...(await benchLimits({ folder, rounds: size.countingRounds })),
  ...(await withDatabase(process.env.TEST_DATABASE_URL, (databaseUrl) =>
    benchAdministration({ folder, databaseUrl, ...size }),
  )),
  ...(await benchRandom({ folder, ...size })),
  ...(await withDatabase(process.env.TEST_DATABASE_URL, (databaseUrl) =>
    benchPostgres({ folder, databaseUrl, ...size }),
  )),
  ...(await benchEmbed({ folder, ...size })),
  ...(await benchFirstListing({ folder, ...size })),
  ...(await benchDelivery({ folder, ...size })),
  ...(await benchSizes({ folder, ...size })),
  ...(await benchUploads({ folder })),
  ...(await benchSlowReaders({ folder, ...size })),
  ...(await benchHeartbeats({ folder, ...size })),
  ...(await benchStartUp({ folder, ...size })),
  ...(await benchConsole({ folder, ...size })),
  ...(await benchLogins({ folder, ...size })),
]
console.log()
for (const { held, promise, figure } of gates) console.log(`${held ? 'held  ' : 'MISSED'}  ${promise}: ${figure}`)
if (!flags.report && gates.some(({ held }) => !held)) process.exitCode = 1
