import { code, plain, table } from '../../src/reference/markdown-text.ts'
import type { Row } from './table/row.ts'
import { rows } from './table.ts'

const opening = `For operators and reviewers: what the service promises while something is broken, and the tests that show it. Generated
from \`test/faults/table.ts\`; change that, and run \`npm run generate\`.

\`npm run test:faults\` runs the tests of all rows in full size and prints for each row whether it holds. With names, such as
\`npm run test:faults -- F01 F13\`, it runs only those. Rows of the cluster need PostgreSQL, Redis and Ceph, which
\`scripts/services.sh run npm run test:faults\` starts; what is missing is named in the line of the row.
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

const others: readonly (readonly [promise: string, command: string, more: string])[] = [
  [
    'No order of events breaks the newest token, the limit of failed logins, the lease of the worker or the outbox of its alerts',
    'npm run test:models',
    'Each model must also find a bug that is put in',
  ],
  [
    'Random requests, broken bytes and damaged files get declared replies and end no process',
    'npm run test:fuzz',
    'Two minutes; `-- --seed 7` repeats a run',
  ],
  [
    'The requirements of OWASP ASVS 5.0, levels 1 and 2',
    'npm run test:all',
    '[security.md](security.md) names a test for each',
  ],
  [
    'A backup restores the same accounts, tokens, images and worker state; a damaged one is refused',
    'npm run test:all test/cli/backup.test.ts test/cli/restore.test.ts',
    'Copies by `cp` and `tar`: `test/drivers/objects/folder/copies.test.ts`',
  ],
  [
    'A move to PostgreSQL and S3, and back, copies every row and object',
    'npm run test:all test/cli/move.test.ts',
    '[moving.md](moving.md); needs the services',
  ],
  [
    'The previous release runs on the new schema, and a rolling upgrade fails no request',
    'npm run test:all test/bin/release-before.test.ts test/cluster/upgrade.test.ts',
    'Needs the history of git, and the services',
  ],
  [
    'The alerts of `docs/alerts.yml` fire for what they name',
    'npm run test:all test/deploy/monitoring.test.ts test/worker/alerts.test.ts',
    'Needs `promtool`',
  ],
  [
    'The figures for load, memory and starts, shortened to ten minutes',
    'npm run test:load',
    'A missed figure fails it; `npm run bench` compares with a bare server',
  ],
  ['The tests notice small mistakes in the pure rules', 'npm run test:mutation', 'At least 92 % of them'],
]

function rowOf({ id, fault, promise, on, proofs, needs = [], open }: Row): string[] {
  return [
    id,
    plain(fault),
    plain(promise),
    on.join(', '),
    code(`npm run test:faults -- ${id}`),
    Object.keys(proofs).map(code).join(', ') || 'nothing',
    needs.join(', '),
    plain(open ?? ''),
  ]
}

/** docs/reliability.md. */
export function printReliability(): string {
  const head = ['', 'Fault', 'Promise', 'Shown on', 'Command', 'Tests', 'Needs', 'What no test shows']
  const parts = [
    '# Reliability',
    opening,
    everywhere,
    '## Faults',
    '"Embedded" is the default: SQLite, a folder and counters in memory. "Cluster" is PostgreSQL, Redis and S3.',
    table(head, rows.map(rowOf)),
    '## Other promises',
    table(
      ['Promise', 'Command', ''],
      others.map(([promise, command, more]) => [promise, code(command), more]),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}
