import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()

const sources = filesOf('src/**/*.ts')
const tests = filesOf('test/**/*.ts')
/** A package of its own; its types are generated. */
const clientSources = filesOf('client/src/**/*.ts').filter((path) => path !== 'client/src/openapi.ts')

/** Another package, which only a browser runs. */
const consoleSources = filesOf('console/src/**/*.{ts,tsx}')

interface Import {
  readonly from: string
  /** A file of the project, or the name of a package. */
  readonly to: string
  readonly isType: boolean
  readonly names: string
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?((?:[\w*{][^'"\n;]*?|\{[^}]*\})\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|getBuiltinModule\(\s*['"]([^'"]+)['"]/g

function importsOf(from: string): Import[] {
  return [...read(from).matchAll(importPattern)].map(([, type, names = '', plain, dynamic, builtin]) => {
    const target = plain ?? dynamic ?? builtin ?? ''
    const to = target.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), target)) : target
    const all = names.replace(/\s+from\s*$/, '')
    const onlyTypes =
      /^\{/.test(all) &&
      all
        .slice(1, -1)
        .split(',')
        .every((name) => name.trim() === '' || /^\s*type\s/.test(name))
    return { from, to, isType: type !== undefined || onlyTypes, names: all }
  })
}

const imports = sources.flatMap(importsOf)

const roomOf = (path: string) => path.split('/')[1] ?? ''
const nouns = ['accounts', 'images', 'limits', 'status']

/** The rooms, and the others that each may import from. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  bin: ['api', 'worker', 'cli', 'config', 'process', 'lib'],
  api: [...nouns, 'reference', 'reporter', 'drivers', 'http', 'config', 'process', 'lib'],
  worker: ['status', 'reference', 'drivers', 'http', 'config', 'process', 'lib'],
  cli: ['api', ...nouns, 'drivers', 'http', 'config', 'process', 'lib'],
  reference: ['api', ...nouns, 'http', 'config', 'lib'],
  accounts: ['http', 'config', 'process', 'lib'],
  images: ['http', 'config', 'process', 'lib'],
  limits: ['http', 'config', 'process', 'lib'],
  status: ['http', 'config', 'process', 'lib'],
  drivers: ['config', 'process', 'lib'],
  reporter: [],
  http: ['lib'],
  config: ['lib'],
  process: ['config', 'lib'],
  lib: [],
}

/** Vocabulary of a noun that others use too: values, without rules about what is allowed. */
const vocabulary = [
  'src/accounts/access.ts',
  'src/accounts/actions.ts',
  'src/accounts/admin/dry-run.ts',
  'src/accounts/admin/page.ts',
  'src/accounts/api-route.ts',
  'src/accounts/audit.ts',
  'src/accounts/embed-access.ts',
  'src/accounts/limits.ts',
  'src/accounts/roles.ts',
  'src/accounts/secrets-in-paths.ts',
  'src/accounts/username.ts',
  'src/images/bucket-name.ts',
  'src/images/details/details.ts',
  'src/images/filter.ts',
  'src/images/image-types.ts',
  'src/images/kinds.ts',
  'src/images/store-errors.ts',
  'src/images/object-name.ts',
  'src/images/period.ts',
  'src/images/positions.ts',
  'src/images/shapes/choices.ts',
  'src/images/signatures.ts',
  'src/images/sizes/resizer-errors.ts',
  'src/images/tags.ts',
  'src/limits/scopes.ts',
  'src/status/published.ts',
  'src/status/statuses.ts',
]
const knowVocabulary = [...nouns, 'drivers', 'config']

/** A driver sees the ports of its noun: their types. The kit logs, and `run` closes what listens. */
const typesOnly: Readonly<Record<string, readonly string[]>> = {
  drivers: nouns,
  http: ['process'],
  process: ['http'],
}

const isAllowed = ({ from, to, isType }: Import): boolean => {
  const [here, there] = [roomOf(from), roomOf(to)]
  return (
    here === there ||
    rooms[here]?.includes(there) === true ||
    (isType && typesOnly[here]?.includes(there) === true) ||
    (vocabulary.includes(to) && knowVocabulary.includes(here))
  )
}

/** Every file that this one needs at run time. */
function reachableFrom(start: string, seen = new Set<string>()): Set<string> {
  if (seen.has(start)) return seen
  seen.add(start)
  for (const { to, isType } of importsOf(start)) if (!isType && to.startsWith('src/')) reachableFrom(to, seen)
  return seen
}

describe('The walls', () => {
  it('are checked: the imports of the sources are found', () => {
    assert.ok(imports.length > 200, String(imports.length))
    for (const { from, to } of imports) {
      if (to.startsWith('src/') && to.endsWith('.ts')) assert.ok(sources.includes(to), `${from} imports ${to}`)
    }
  })

  it('stand: every room imports from the rooms named for it, and from no other', () => {
    assert.deepEqual(
      [...new Set(sources.map(roomOf))].sort(),
      Object.keys(rooms).sort(),
      'every folder of src/ is a room, and no file lies beside them',
    )
    const through = imports.filter(({ to }) => to.startsWith('src/')).filter((each) => !isAllowed(each))
    assert.deepEqual(
      through.map(({ from, to }) => `${from} → ${to}`),
      [],
    )
  })

  it('keep accounts, images and databases out of the status worker', () => {
    const needed = [...reachableFrom('src/bin/status-worker.ts')]
    assert.ok(needed.includes('src/worker/worker.ts') && needed.includes('src/http/service.ts'))
    assert.deepEqual(
      needed.filter((path) =>
        /^src\/(accounts\/(?!username)|api|images\/(?!bucket-name|kinds)|limits|drivers\/(?!status-|data-dir|migrations|postgres\/(advisory-locks|migrate|socket)|sqlite\/(errors|file-id|schema)))/.test(
          path,
        ),
      ),
      [],
    )
  })

  it('keep node:http in src/http, and clients of object stores in their drivers', () => {
    const http = /^node:(http|https|http2|net\/.*)$|^(fastify|express|undici)$/
    assert.deepEqual(
      imports
        .filter(({ from, to }) => http.test(to) && roomOf(from) !== 'http')
        .map(({ from }) => from)
        .filter((from) => !/^src\/drivers\/(objects|status-pages)\//.test(from))
        // A client that is also published on its own, so it cannot use the HTTP client of the service.
        .filter((from) => from !== 'src/reporter/post.ts'),
      [],
    )
  })

  it('keep the client a package of its own, for browsers too: it imports nothing but itself', () => {
    const outside = clientSources.flatMap(importsOf).filter(({ to }) => !to.startsWith('client/src/'))
    assert.deepEqual(
      outside.map(({ from, to }) => `${from} → ${to}`),
      [],
    )
    for (const path of clientSources) assert.doesNotMatch(read(path), /\b(process|Buffer|require|setImmediate)\b/, path)
    const { dependencies, version } = JSON.parse(read('client/package.json'))
    assert.deepEqual([dependencies, version], [undefined, JSON.parse(read('package.json')).version])
  })

  it('keep the console behind the public API: from the service it imports only the client, the rules on usernames, on the length of reasons and on who may do what to whom, the names of files, how images begin and end, the limits of details, which maintenance overlaps, when a schedule fires, and what a status, a message to a target, a duration and a rate limit are called', () => {
    const outside = consoleSources.flatMap(importsOf).filter(({ to }) => /^(src|client|test)\//.test(to))
    assert.deepEqual([...new Set(outside.map(({ to }) => to))].sort(), [
      'client/src/client.ts',
      'src/accounts/actions.ts',
      'src/accounts/admin/act-errors.ts',
      'src/accounts/admin/limits.ts',
      'src/accounts/admin/permissions.ts',
      'src/accounts/roles.ts',
      'src/accounts/username.ts',
      'src/images/details/details.ts',
      'src/images/end-check.ts',
      'src/images/served-name.ts',
      'src/images/shapes/choices.ts',
      'src/images/signatures.ts',
      'src/images/tags.ts',
      'src/lib/cron.ts',
      'src/lib/duration-text.ts',
      'src/lib/time-zone.ts',
      'src/limits/scopes.ts',
      'src/status/other-maintenance.ts',
      'src/status/schedule.ts',
      'src/status/statuses.ts',
      'src/status/told.ts',
    ])
    const { devDependencies } = JSON.parse(read('console/package.json'))
    const packages = consoleSources.flatMap(importsOf).filter(({ to }) => !/^(src|client|console)\//.test(to))
    for (const { to } of packages)
      assert.ok(
        Object.keys(devDependencies).some((name) => to.startsWith(name)),
        to,
      )
  })

  it('keep HTTP calls out of the use cases: only the edge of a noun knows them', () => {
    const edge = /\/(routes|guard|caller|journal|limits|upload-request|random|random-bytes|proxy)\.ts$/
    assert.deepEqual(
      imports
        .filter(({ from, to }) => to === 'src/http/call.ts' && /^src\/(accounts|images)\//.test(from))
        .filter(({ from, names }) => !edge.test(from) && /\bCall\b/.test(names))
        .map(({ from }) => from),
      [],
    )
  })

  it('keep each technology in its drivers, and the logger in process', () => {
    const misplaced = imports.filter(({ from, to }) => {
      if (/^(pg|sharp|kysely|@redis\/client|@node-rs\/argon2|node:sqlite|@aws-sdk\/.*|@smithy\/.*)$/.test(to))
        return roomOf(from) !== 'drivers'
      return to === 'pino' && roomOf(from) !== 'process'
    })
    assert.deepEqual(
      misplaced.map(({ from, to }) => `${from} → ${to}`),
      [],
    )
  })

  it('keep tests out of what runs, and every package that runs in the dependencies', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
    for (const { from, to } of imports) {
      assert.ok(!to.startsWith('test/'), `${from} → ${to}`)
      if (/^(src\/|node:|scripts\/prelude\.cjs$)/.test(to)) continue
      const name = to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/')
      // Optional packages are loaded only by processes of their own.
      const isOptional = Object.hasOwn(optionalDependencies, name) && from.startsWith('src/drivers/sizes/child/')
      assert.ok(isOptional || Object.hasOwn(dependencies, name), `${from} → ${to}`)
    }
  })
})

describe('The sources', () => {
  it('read the environment in src/config/config.ts alone', () => {
    assert.deepEqual(
      // A printed sample contains it as text.
      sources.filter((path) => /(?<!'[^'\n]*)\bprocess\.env\b|\bprocess\[['"]env/.test(read(path))),
      ['src/config/config.ts'],
    )
  })

  it('touch private fields and replace methods of Node in src/http/node-internals.ts alone', () => {
    assert.deepEqual(
      sources.filter((path) => /\._[a-z]|\.destroySoon = |\.prototype\.\w+ = /.test(read(path))),
      ['src/http/node-internals.ts'],
    )
  })

  it('have no file over 300 lines', () => {
    const long = [...sources, ...clientSources, ...consoleSources]
      .map((path) => [path, read(path).trimEnd().split('\n').length] as const)
      .filter(([, lines]) => lines > 300)
    assert.deepEqual(long, [])
  })

  it('export by name, and import with the file extension', () => {
    for (const path of [...sources, ...clientSources, ...consoleSources, ...tests]) {
      assert.doesNotMatch(read(path), /^export default|\bas default\b/m, path)
      for (const { to } of importsOf(path))
        if (/^(src|test|client)\//.test(to)) assert.match(to, /\.(tsx?|md|css|json)$/, `${path} → ${to}`)
    }
  })

  it('have names in kebab-case, and no meaningless ones', () => {
    for (const path of [
      ...sources,
      ...clientSources,
      ...consoleSources,
      ...tests,
      ...filesOf('bench/**/*.ts'),
      ...filesOf('scripts/**/*.ts'),
      ...filesOf('demo/**/*.ts'),
    ]) {
      const name = path.split('/').at(-1) ?? ''
      assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract))?\.tsx?$/, path)
      assert.doesNotMatch(name, /^(utils?|helpers?|misc|common|index|types)\./, path)
      for (const folder of dirname(path).split('/')) assert.match(folder, /^[a-z0-9]+(-[a-z0-9]+)*$/, path)
    }
  })

  it('have no marker of work left undone', () => {
    for (const path of [...sources, ...clientSources, ...consoleSources])
      assert.doesNotMatch(read(path), /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|@ts-nocheck|as any\b/, path)
  })
})

describe('The tests', () => {
  it('all run: none is marked only or todo, or skipped unconditionally', () => {
    const marks = ['only', 'skip', 'todo'].map((mark) => `\\b(it|test|describe|suite)\\.${mark}\\b|\\b${mark}: true`)
    for (const path of tests) assert.doesNotMatch(read(path), new RegExp(marks.join('|')), path)
  })

  const breaking = (
    rule: RegExp,
    own = ['test/support/until.ts', 'test/support/seed.ts', 'test/conventions.test.ts'],
  ) => tests.filter((path) => !own.includes(path) && rule.test(read(path)))

  it('never sleep or poll on their own: they use until, inTime, turns or atLeast of support/until.ts', () => {
    const sleep = /setTimeout\(r\w*[,)]|setTimeout( as \w+)? \} from 'node:timers|scheduler\.wait/
    const loop = /\bwhile \([^\n]*\) await new |\bwhile \(!?\(?await /
    assert.deepEqual([breaking(sleep), breaking(loop)], [[], []])
  })

  it('start processes only with spawn of support/spawn.ts, so that none outlives its file', () => {
    // These run without the test runner, and end their own processes.
    const runs = ['test/faults/run.ts', 'test/mutation/try-mutants.ts']
    const programs = ['test/cluster/cluster.ts', 'test/console/lighthouse.ts', ...runs]
    const own = ['test/support/spawn.ts', 'test/conventions.test.ts', ...programs]
    assert.deepEqual(breaking(/\b(spawn|fork)\b[^;]*? from 'node:child_process'/, own), [])
  })

  it('measure no time: such gates belong in bench/', () => {
    assert.deepEqual(breaking(/assert(\.\w+)?\([^\n]*(performance\.now\(\)|Date\.now\(\) -)/), [])
  })

  it('each have a time-out (test/run.ts); no suite has one, which would apply to all of its tests together', () => {
    assert.match(read('test/run.ts'), /^ {2}timeout: 120_000,$/m)
    const { scripts } = JSON.parse(read('package.json'))
    assert.deepEqual([scripts.test, scripts['test:all']], ['node test/run.ts', 'node test/run.ts all'])
    assert.deepEqual(breaking(/\bdescribe\([^\n]*\btimeout:/), [])
  })

  it('can repeat every random choice: TEST_SEED reaches every property, and nothing else is random', () => {
    assert.deepEqual(breaking(/\bfc\.(assert|check)\(|\bMath\.random\b/), [])
  })

  it('have unique titles within a file', () => {
    for (const path of tests.filter((each) => each.endsWith('.test.ts'))) {
      const titles = [...read(path).matchAll(/^ *(?:it|test)\('((?:[^'\\]|\\.)+)'/gm)].map(([, title]) => title)
      assert.deepEqual(
        titles.filter((title, index) => titles.indexOf(title) !== index),
        [],
        path,
      )
    }
  })
})
