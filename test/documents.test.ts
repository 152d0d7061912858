import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '../src/config/config.ts'
import { settings } from '../src/config/settings.ts'
import { variablesOf } from '../src/config/unknown-variables.ts'
import { dayMs } from '../src/lib/timestamps.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'client/README.md',
  ...[
    'clients',
    'console',
    'decisions',
    'images',
    'keys-and-links',
    'moving',
    'operate',
    'package',
    'proxy',
    'reliability',
    'security',
    'status',
  ].map((name) => `docs/${name}.md`),
  'src/http/README.md',
  'src/reference/opening.md',
]
const { version, scripts } = JSON.parse(read('package.json'))

/** What docs/decisions.md says, and the file that owns these numbers. */
const numbers: readonly (readonly [says: string, file: string, ...values: number[]])[] = [
  ['a second signal, more than a second later', 'src/process/signals.ts', 1_000],
  ['closed after 500 ms without a byte', 'src/http/shutdown.ts', 500],
  ['Requests that are not finished after 10 s', 'src/http/bounds.ts', 10_000],
  ['after 10 s (5 s)', 'src/worker/worker.ts', 5_000],
  ['probed once, 2 s at most', 'src/api/readiness.ts', 2_000],
  ['every 10 s it also writes', 'src/api/probes.ts', 10_000],
  ['also writes: 64 KB on SQLite', 'src/drivers/accounts/sqlite.ts', 32_768],
  ['for a new one within 750 ms', 'src/drivers/accounts/postgres-pool.ts', 750],
  ['wait up to 2 s for one of the instance', 'src/drivers/accounts/postgres-pool.ts', 2_000],
  ['at most 1,000 of them', 'src/drivers/accounts/postgres-pool.ts', 1_000],
  ['connection is tried every 250 ms', 'src/drivers/accounts/postgres-pool.ts', 250],
  ['at most 1024 bytes of UTF-8', 'src/accounts/passwords.ts', 1_024],
  ['argon2id with 19456 KiB, 2 passes and 1 lane', 'src/drivers/accounts/argon2.ts', 19_456, 2, 1],
  ['and 64 wait; beyond that', 'src/accounts/passwords.ts', 2, 64],
  ['60 seconds of leeway', 'src/accounts/tokens.ts', 60],
  ['a `reason` (500 characters)', 'src/accounts/admin/limits.ts', 500],
  ['read in chunks of 500', 'src/accounts/admin/limits.ts', 500],
  ['Up to 10,000 different attempts', 'src/accounts/pending-records.ts', 10_000],
  ['waits up to 2 s for the first page', 'src/images/pool.ts', 2_000],
  ['with a backoff, for at most 2 s', 'src/images/random-bytes.ts', 2_000],
  ['Images of up to 8 MiB are cached', 'src/images/image-cache.ts', 8_388_608],
  ['in at most two processes of their own', 'src/drivers/sizes/resizer.ts', 2],
  ['end after 60 s without work', 'src/drivers/sizes/resizer.ts', 60_000],
  ['may have 100 million pixels', 'src/drivers/sizes/child/recipe.ts', 100_000_000],
  ['take 10 s from its last byte and 400 MB', 'src/drivers/sizes/resizer.ts', 10_000, 400_000_000],
  ['for ten minutes if it was time or memory, for at most 10,000', 'src/images/sizes/sizes.ts', 600_000, 10_000],
  ['256 requests wait up to 8 s', 'src/images/sizes/sizes.ts', 256, 8_000],
  ['At most 2,048 requests are delayed, 32 of them', 'src/limits/throttle.ts', 2_048, 32],
  ['waits in order of arrival, 5 s at most', 'src/limits/login-failures.ts', 5_000],
  ['In memory** up to 1,048,576 counters', 'src/drivers/counters/memory.ts', 1_048_576],
  ['takes longer than 200 ms', 'src/drivers/counters/redis-link.ts', 25, 8],
  ['was killed expire after a minute', 'src/drivers/counters/script.ts', 60_000],
  ['waits at most 250 ms for a database', 'src/api/rate-limits.ts', 250],
  ['delays its heartbeat by 200 ms', 'src/worker/leader.ts', 200],
  ['after 5 s, a further 15 s, a further 60 s,', 'src/status/publication.ts', 5_000, 15_000, 60_000],
  ['and then every 5 minutes', 'src/status/publication.ts', 300_000],
  ['replaces the wait, up to an hour', 'src/status/publication.ts', 3_600_000],
  ['At most 12 pushes to a target are in flight', 'src/status/push-queue.ts', 12],
  ['names up to 20 components', 'src/status/statuses.ts', 20],
  ['within half a second', 'src/status/saver.ts', 500],
  ['logs it within 250 ms', 'src/status/deadlines.ts', 250],
  ['sent their status again every 20 s', 'src/drivers/status-pages/two-states.ts', 20_000],
  ['if a probe took longer than a second', 'src/api/readiness.ts', 1_000],
  ['`redis`, every minute', 'src/api/own-health.ts', 60_000],
  ['are kept for 90 days', 'src/worker/leader.ts', 90 * dayMs],
  ['hourly readings must have agreed for two hours', 'src/lib/settled-time.ts', 3],
]

/** Numbers are written with and without separators, and as products. */
const hasNumber = (text: string, value: number) =>
  [...text.replaceAll('dayMs', String(dayMs)).matchAll(/\b\d[\d_.]*(?: \* \d[\d_.]*)*\b/g)].some(([found]) => {
    const factors = found.split(' * ').map((factor) => Number(factor.replaceAll('_', '')))
    return factors.reduce((product, factor) => product * factor, 1) === value
  })

const flat = (path: string) => read(path).replace(/\s+/g, ' ')
const inEach = (pattern: RegExp) =>
  documents.flatMap((path) => [...read(path).matchAll(pattern)].map(([, found = '']) => [path, found] as const))

describe('The documents', () => {
  it('repeat numbers as the code has them', () => {
    const decisions = flat('docs/decisions.md')
    for (const [phrase, file, ...values] of numbers) {
      assert.ok(decisions.includes(phrase), `docs/decisions.md does not say: ${phrase}`)
      for (const value of values) assert.ok(hasNumber(read(file), value), `"${phrase}": no ${value} in ${file}`)
    }
  })

  it('repeat defaults and the version as they are', () => {
    const readme = flat('README.md')
    assert.equal(settings.HEARTBEAT_TIMEOUT_SECONDS.default, '180', 'docs/status.md: after three minutes of silence')
    assert.equal(settings.CATALOGUE_REFRESH_SECONDS.default, '60', 'docs/images.md: chosen within a minute')
    assert.ok(readme.includes(`http://localhost:${settings.PORT.default}`))
    assert.ok(readme.includes(`http://${settings.STATUS_HOST.default}:${settings.STATUS_PORT.default}`))
    assert.ok(readme.includes(`works today (${version.replace(/\.0$/, '')}):`))
    assert.equal(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1], version)
  })

  it('name only settings that exist', () => {
    const others = [
      'TEST_SIZE',
      'TEST_SEED',
      'CRASH_KILLS',
      'WORKER_KILLS',
      'ACCESS_TOKEN',
      'NAME_FILE',
      'IMAGE_REGISTRY',
      'IMAGE_TOKEN',
    ]
    const families = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])
    const unknown = inEach(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?!\*)/g).filter(
      ([, name]) => !families.includes(name) && !others.includes(name),
    )
    assert.deepEqual(unknown, [])
  })

  it('show lines of .env that the service accepts', () => {
    const blocks = inEach(/^```dotenv\n(.*?)^```$/gms)
    assert.ok(blocks.length > 3)
    for (const [path, text] of blocks) {
      const env = parseEnv(text.replaceAll(/<URL [^>]*>/g, 'https://example.org/'))
      readConfig(env)
      const known = variablesOf(env)
      assert.deepEqual(
        Object.keys(env).filter((name) => !known.has(name)),
        [],
        path,
      )
    }
  })

  it('name only scripts that exist', () => {
    const unknown = inEach(/\bnpm run ([a-z:]+)/g).filter(([, name]) => !Object.hasOwn(scripts, name))
    assert.deepEqual(unknown, [])
  })

  it('name only files that exist', () => {
    const paths = inEach(/`([\w./-]+\/[\w.-]+\.(?:ts|mjs|md|json|sh)|(?:src|test|bench|scripts|docs)\/[\w/-]*)`/g)
    const missing = paths.filter(([, path]) => !existsSync(join(root, path)) && !existsSync(join(root, 'src', path)))
    assert.ok(paths.length > 40)
    assert.deepEqual(missing, [])
  })

  it('name only tests that exist, by file and title', () => {
    const named = documents.flatMap((path) => [...read(path).matchAll(/`(test\/[^`]+\.ts)`: "((?:[^"\\]|\\")+)"/g)])
    assert.ok(named.length > 100)
    const missing = named
      .map(([, file = '', title = '']) => [file, title.replaceAll('\\"', '"')] as const)
      .filter(([file, title]) => {
        const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``]
        return !quoted.some((text) => read(file).includes(text))
      })
    assert.deepEqual(missing, [])
  })

  it('judge every requirement of levels 1 and 2 once, and repeat all that are not met', () => {
    const [tables = '', notMet = ''] = read('docs/security.md').split('\n## What is not met\n')
    const rows = [...tables.matchAll(/^\| ([\d.]+)(?:–([\d.]+))? \| [^|]+ \| (Met|Partly|Not met|–) \| [^|]+ \|$/gm)]
    assert.equal(rows.length, [...tables.matchAll(/^\| \d/gm)].length, 'each row has four cells and a state')
    const single = rows.filter(([, , to]) => to === undefined).map(([, number]) => number)
    assert.equal(new Set(single).size, single.length)
    const chapters = Object.groupBy(single, (number = '') => number.split('.')[0] as string)
    const counts = Object.entries(chapters).map(([chapter, numbers]) => [Number(chapter), numbers?.length])
    assert.deepEqual(counts, [
      [1, 27],
      [2, 11],
      [3, 19],
      [4, 4],
      [5, 9],
      [6, 23],
      [7, 16],
      [8, 7],
      [9, 7],
      [11, 11],
      [12, 9],
      [13, 13],
      [14, 9],
      [15, 13],
      [16, 16],
    ])
    for (const [, number = '', , state] of rows)
      assert.equal(new RegExp(`\\b${RegExp.escape(number)}\\b(?!\\.)`).test(notMet), state === 'Not met', number)
  })

  it('link only to files and headings that exist', () => {
    const anchorOf = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-')
    for (const [from, link] of inEach(/\]\((?!https?:|#)([^)\s]+)\)/g)) {
      const [path = '', anchor] = link.split('#')
      const target = join(dirname(from), path)
      assert.ok(existsSync(join(root, target)), `${from} links to ${link}`)
      const headings = anchor === undefined ? [] : [...read(target).matchAll(/^#+ (.+)$/gm)]
      const anchors = headings.map(([, heading = '']) => anchorOf(heading))
      if (anchor !== undefined) assert.ok(anchors.includes(anchor), `${from} links to ${link}`)
    }
  })

  it('include a package-lock.json that npm 10 leaves as it is, with an address of each package and no registry', () => {
    // See scripts/dependencies.mjs.
    const lock = JSON.parse(read('package-lock.json')).packages as Record<string, Record<string, string>>
    for (const [place, { integrity, resolved, libc }] of Object.entries(lock)) {
      assert.equal(libc, undefined, place)
      if (integrity) assert.match(resolved ?? '', /^https:\/\/npm\.invalid\//, place)
    }
  })
})
