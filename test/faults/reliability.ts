import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code, plain, table } from '../../src/reference/markdown-text.ts'
import type { Row } from './table/row.ts'
import { rows } from './table.ts'

const opening = `For operators and reviewers: what the service promises while something is broken, and the tests that show it. Generated
from \`test/faults/table.ts\`; change that, and run \`npm run generate\`.

\`npm run test:faults\` runs the tests of all rows in their longest size, with more kills and stops than \`npm run test:all\`, and
prints for each row whether it holds. With names, such as
\`npm run test:faults -- F01 F13\`, it runs only those. Rows of the cluster need PostgreSQL, Redis and Ceph, which
\`scripts/services.sh run npm run test:faults\` starts; what is missing is named in the line of the row. With \`-- --write\` it
keeps what each row printed for this page.
How long things take is measured by \`npm run test:load\` and \`npm run bench\`, not here: a test may run on a busy machine.`

const everywhere = `Under every fault below:

1. A write that was answered with 2xx is still there after kill -9, and after a loss of power as far as F04 says.
2. No 2xx is sent before the write is durable. No image that was cut short ends like a whole one.
3. Only routes that need the broken part fail, and only while it is broken.
4. The service recovers by itself, without a restart.
5. \`/health\` answers 200 throughout; \`/ready\` says what is broken.
6. Authentication fails closed: while the database is away, 5xx, never 200, and never 401, which makes clients drop good
   tokens.
7. No process ends, except as F35 says.`

interface Promised {
  readonly promise: string
  readonly command: string
  /** What it printed last. */
  readonly printed: string
  readonly more: string
}

const others: readonly Promised[] = [
  {
    promise:
      'No order of events breaks the newest token, the limit of failed logins, the lease of the worker or the outbox of its alerts',
    command: 'npm run test:models',
    printed:
      'States: tokens 2,325; failed logins 825 and 1,617, without Redis 696 to 2,274; lease 4,405; outbox 439,970 for a page, 41,956 for a chat',
    more: 'Each model must also find a bug that is put in',
  },
  {
    promise: 'Random requests, broken bytes and damaged files get declared replies and end no process',
    command: 'npm run test:fuzz',
    printed: 'In 120 s 153 routes, 49,690 requests, 30,994 connections; no undeclared reply; memory 287 to 296 MiB',
    more: 'A fifth of the routes never reached a success in it. `-- --seed 7` repeats a run',
  },
  {
    promise: 'The requirements of OWASP ASVS 5.0, levels 1 and 2',
    command: 'npm run test:all',
    printed: '8,734 tests passed, none failed or skipped',
    more: '[security.md](security.md) names a test for each, and what is not met',
  },
  {
    promise: 'A backup restores the same accounts, tokens, images and worker state; a damaged one is refused',
    command: 'npm run test:all test/cli/backup.test.ts test/cli/restore.test.ts',
    printed: '47 tests passed',
    more: 'Copies by `cp` and `tar`: `test/drivers/objects/folder/copies.test.ts`',
  },
  {
    promise: 'A move to PostgreSQL and S3, and back, copies every row and object',
    command: 'npm run test:all test/cli/move.test.ts',
    printed: '11 tests passed',
    more: '[moving.md](moving.md); needs the services',
  },
  {
    promise: 'The previous release runs on the new schema, and a rolling upgrade fails no request',
    command: 'npm run test:all test/bin/release-before.test.ts test/cluster/upgrade.test.ts',
    printed: '3 tests passed',
    more: 'Needs the history of git, and the services',
  },
  {
    promise: 'The alerts of `docs/alerts.yml` fire for what they name',
    command: 'npm run test:all test/deploy/monitoring.test.ts test/worker/alerts.test.ts',
    printed: '8 tests passed',
    more: 'Needs `promtool`',
  },
  {
    promise:
      'The tests notice small mistakes in the rules on roles, limits, states, schedules, names, tokens and choice',
    command: 'npm run test:mutation',
    printed: '96.4 % of 4,286 mutants killed (at least 92 %)',
    more: '`test/mutation/survivors.ts` has the others, each with its reason. Walks alone reach 89.6 %',
  },
  {
    promise: 'The figures for load, memory and starts',
    command: 'npm run test:load',
    printed: '[load/report.md](load/report.md)',
    more: 'Does not hold: at twice its capacity (L04), images and random choices take at most 0.8 s (p99), but reads of administrators 3.2 s and logins 7.8 s (at most 1 s), and refused logins 0.8 s (less than 50 ms): they wait for hashes and for the thread of long reads. New connections wait longer, since Node accepts one in each turn of its event loop. The first whole lists of 100,000 users take 61 to 69 MiB (L10, at most 64): nearly all of it stays with the thread of long reads, and another list adds 7 MB (benchmarks.md). A flood of logins takes 65 to 70 MiB (L05, at most 70), 38 of them for two hashes at a time. L02, L06, L07, L08, L11 and L12 held on a busy machine and are not in this report. Shortened by a factor; `-- --full` takes five hours and was never run',
  },
  {
    promise: 'What a request costs, beside a bare server and other services',
    command: 'npm run bench -- --peers',
    printed: '[benchmarks.md](benchmarks.md)',
    more: '`npm run bench` fails if a figure is missed',
  },
]

interface LastRun {
  readonly date: string
  readonly minutes: number
  readonly node: string
  readonly cores: number
  readonly verdicts: Readonly<Record<string, string>>
}

/** Written by `npm run test:faults -- --write`. */
const lastRun: LastRun = JSON.parse(readFileSync(join(import.meta.dirname, 'last-run.json'), 'utf8'))

function rowOf({ id, fault, promise, on, proofs, needs = [], open }: Row): string[] {
  return [
    id,
    plain(fault),
    plain(promise),
    on.join(', '),
    code(`npm run test:faults -- ${id}`),
    Object.keys(proofs).map(code).join(', ') || 'nothing',
    needs.join(', '),
    plain(lastRun.verdicts[id] ?? 'not run'),
    plain(open ?? ''),
  ]
}

/** docs/reliability.md. */
export function printReliability(): string {
  const head = ['', 'Fault', 'Promise', 'Shown on', 'Command', 'Tests', 'Needs', 'Printed last', 'What no test shows']
  const parts = [
    '# Reliability',
    opening,
    everywhere,
    '## Faults',
    `"Embedded" is the default: SQLite, a folder and counters in memory. "Cluster" is PostgreSQL, Redis and S3. All rows ran
last on ${lastRun.date}, in ${lastRun.minutes} minutes on ${lastRun.cores} cores with Node ${lastRun.node}.`,
    table(head, rows.map(rowOf)),
    '## Other promises',
    table(
      ['Promise', 'Command', 'What it printed last', ''],
      others.map(({ promise, command, printed, more }) => [promise, code(command), printed, more]),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}
