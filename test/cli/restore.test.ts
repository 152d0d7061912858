import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packTar, type TarHeader, unpackTar } from 'modern-tar'
import { sumLine } from '../../src/cli/backup/sums.ts'
import { atEnd } from '../support/at-end.ts'
import { itInFull, someOf } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { until } from '../support/until.ts'
import { backedUp, isDone, isRefused } from './backup-stage.ts'
import { tool, toolHere } from './tool.ts'

const timeout = 120_000
const binary = join(import.meta.dirname, '../../src/bin/cli.ts')

interface Entry {
  readonly header: Partial<TarHeader> & { name: string }
  readonly data?: Uint8Array | undefined
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')

async function entriesOf(archive: string): Promise<Entry[]> {
  return (await unpackTar(readFileSync(archive))).map(({ header, data }) => ({ header, data }))
}

const named = (name: string, text = 'some text', more: Partial<TarHeader> = {}): Entry => ({
  header: { name, ...more },
  data: Buffer.from(text),
})

/** An archive of these entries, with correct checksums or with those that it had. */
async function packed(entries: readonly Entry[], sums: 'right' | 'as they were' = 'right'): Promise<Uint8Array> {
  const files = entries.filter(({ header }) => header.name !== 'SHA256SUMS')
  const isFile = ({ header }: Entry) => (header.type ?? 'file') === 'file'
  const lines = files
    .filter(isFile)
    .map(async ({ header, data }) => sumLine(await sha256(Buffer.from(data ?? [])), header.name))
  const right = named('SHA256SUMS', (await Promise.all(lines)).join(''))
  const last = sums === 'right' ? right : entries.find(({ header }) => header.name === 'SHA256SUMS')
  return packTar(
    [...files, ...(last ? [last] : [])].map(({ header, data }) => ({
      header: { ...header, size: data?.length ?? 0 },
      ...(data && { data }),
    })),
  )
}

const object = 'objects/images/fox/a.png'
const special = (type: NonNullable<TarHeader['type']>, linkname = '') => ({
  header: { name: 'objects/images/s.png', type, linkname },
})
const withEntry = (entry: Entry) => (entries: readonly Entry[]) => packed([...entries, entry])
const changed =
  (name: string, to: (data: Buffer) => Uint8Array, sums: 'right' | 'as they were') => (entries: readonly Entry[]) =>
    packed(
      entries.map((each) => (each.header.name === name ? { ...each, data: to(Buffer.from(each.data ?? [])) } : each)),
      sums,
    )
const flipped = (data: Buffer) => data.fill(0xff, data.length >> 1, (data.length >> 1) + 20)

const refused: [string, (entries: readonly Entry[]) => Promise<Uint8Array>, RegExp][] = [
  ['a symbolic link', withEntry(special('symlink', '/etc/passwd')), /is a symlink/],
  ['a hard link', withEntry(special('link', 'jwt-secret')), /is a link/],
  ['a device', withEntry(special('character-device')), /is a character-device/],
  ['a FIFO', withEntry(special('fifo')), /is a fifo/],
  ['a folder outside of buckets', withEntry({ header: { name: 'else/', type: 'directory' } }), /is a directory/],
  ['an absolute name', withEntry(named('/tmp/absolute')), /unexpected entry "\/tmp\/absolute"/],
  ['a name that leads out', withEntry(named('../out')), /was modified: unexpected entry/],
  ['a name that leads out of a bucket', withEntry(named('objects/images/../../out')), /was modified: unexpected entry/],
  ['a dot in a name', withEntry(named('./menagerie.db')), /was modified: unexpected entry/],
  ['an empty part in a name', withEntry(named('objects/images//a.png')), /was modified: unexpected entry/],
  ['a backslash in a name', withEntry(named('objects/images/..\\a.png')), /was modified: unexpected entry/],
  ['a name that no backup has', withEntry(named('catalogue.db')), /was modified: unexpected entry/],
  ['a temporary file', withEntry(named('objects/.temporary/a')), /was modified: unexpected entry/],
  ['a bucket that can be none', withEntry(named('objects/.git/config')), /was modified: unexpected entry/],
  ['a file twice', withEntry(named('jwt-secret', 'x'.repeat(43))), /is in it twice/],
  ['a file below a file', withEntry(named(`${object}/below.png`)), /is in it twice, or below a file/],
  ...['1e300', '-8640000000000.001', 'yesterday'].map(
    (mtime) =>
      [
        `a file of the time ${mtime}`,
        withEntry(named('objects/images/fox/late.png', 'some text', { pax: { mtime } })),
        new RegExp(`"objects/images/fox/late\\.png" has an impossible time \\("${mtime}"\\)`),
      ] satisfies (typeof refused)[number],
  ),
  [
    'a record without its object',
    withEntry(named(`objects/.details/images/abc/${'a'.repeat(32)}-1-2-0`, '{"name":"x","etag":"y"}')),
    /was modified: unexpected entry/,
  ],
  ['an image with other bytes', changed(object, flipped, 'as they were'), /a\.png" is damaged: its checksum/],
  ['a secret with other bytes', changed('jwt-secret', flipped, 'as they were'), /jwt-secret" is damaged/],
  [
    'a damaged database',
    changed('menagerie.db', (data) => data.fill(0xa5, 4_096, 12_288), 'right'),
    /menagerie\.db in the archive is damaged/,
  ],
  [
    'a database of another program',
    changed('menagerie.db', (data) => data.fill(7, 68, 72), 'right'),
    /is not a (Menagerie database|database of Menagerie)/,
  ],
  [
    'a database of a newer program',
    changed('menagerie.db', (data) => data.fill(99, 63, 64), 'right'),
    /is newer than this program/,
  ],
  [
    'a checksum too many',
    (entries) => {
      const line = Buffer.from(sumLine('0'.repeat(64), 'objects/images/gone.png'))
      return changed('SHA256SUMS', (sums) => Buffer.concat([sums, line]), 'as they were')(entries)
    },
    /gone\.png" is missing/,
  ],
  ['no checksums', (entries) => packed(entries.slice(0, -1), 'as they were'), /ends before its checksums/],
  [
    'something after its checksums',
    async (entries) => {
      const whole = Buffer.from(await packed(entries))
      return Buffer.concat([
        whole.subarray(0, -1_024),
        Buffer.from(await packTar([{ header: { name: 'jwt-secret', size: 1 }, data: Buffer.from('x') }])),
      ])
    },
    /continues after SHA256SUMS/,
  ],
  ['one compressed by gzip', async (entries) => gzipSync(await packed(entries)), /compressed with gzip; decompress it/],
  ['nothing', async () => packTar([]), /ends before its checksums/],
  ['bytes that are no archive', async () => Buffer.alloc(20_000, 'no archive'), /damaged or incomplete/],
]

describe('cli restore', () => {
  it(`refuses a modified archive, and leaves nothing`, {
    timeout,
  }, async (t) => {
    const on = await backedUp()
    const entries = await entriesOf(on.archive)
    writeFileSync(on.at('good.tar'), await packed(entries))
    isDone(await tool(on.env('good'), ['restore', on.at('good.tar')]))
    for (const [what, change, reason] of someOf(12, refused)) {
      const file = on.at('changed.tar')
      writeFileSync(file, await change(entries))
      await t.test(what, async () =>
        isRefused(on, 'a/copy', await toolHere(on.env('a/copy'), ['restore', file]), reason),
      )
    }
  })

  it('refuses a truncated archive, wherever it ends', { timeout }, async () => {
    const on = await backedUp()
    const whole = readFileSync(on.archive)
    for (const length of [0, 100, 512, 5_000, whole.length >> 1, whole.length - 3_000, whole.length - 1_025]) {
      writeFileSync(on.at('cut.tar'), whole.subarray(0, length))
      const ran = await toolHere(on.env('copy'), ['restore', on.at('cut.tar')])
      isRefused(on, 'copy', ran, /damaged or incomplete|ends before its checksums/)
    }
  })

  it('needs a missing or empty folder, and creates private files', { timeout }, async () => {
    const on = await backedUp()
    const restore = (name: string) => tool(on.env(name), ['restore', on.archive])
    const full = await restore('data')
    assert.equal(full.code, 1)
    assert.match(
      full.stderr,
      /^DATA_DIR: .*data is not empty \(.*\); stop the service and move the folder away first\.\n$/,
    )
    writeFileSync(on.at('file'), '')
    assert.match((await restore('file')).stderr, /cannot be read \(ENOTDIR\)/)
    symlinkSync(on.at('nothing'), on.at('link'))
    assert.match((await restore('link')).stderr, /link is a dangling link; remove it\.\n$/)
    mkdirSync(on.at('empty'), { mode: 0o755 })
    isDone(await restore('empty'))
    isDone(await restore('a/new/folder'))
    for (const name of ['empty', 'a/new/folder']) {
      const all = ['', ...readdirSync(on.at(name), { recursive: true, encoding: 'utf8' })].map((each) =>
        join(on.at(name), each),
      )
      for (const path of all) {
        const { mode } = statSync(path)
        assert.equal((mode & 0o777).toString(8), statSync(path).isDirectory() ? '700' : '600', path)
      }
    }
    const db = new DatabaseSync(on.at('empty/menagerie.db'))
    assert.deepEqual(
      db
        .prepare('SELECT username FROM users')
        .all()
        .map(({ username }) => username),
      ['alice'],
    )
    db.close()
  })

  itInFull(
    'is refused while a process still uses deleted files of the folder',
    {
      timeout,
      skip: process.platform !== 'linux' && 'only Linux tells',
    },
    async () => {
      const on = await backedUp()
      mkdirSync(on.at('used'))
      const fd = openSync(on.at('used/menagerie.db'), 'w')
      const holder = spawn('sleep', ['1000'], { stdio: ['ignore', fd, 'ignore'] })
      atEnd(() => holder.kill('SIGKILL'))
      rmSync(on.at('used/menagerie.db'))
      const ran = await tool(on.env('used'), ['restore', on.archive])
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, /is in use by process [\d, ]+; stop the service first\.\n$/)
      assert.deepEqual(readdirSync(on.at('used')), [])
    },
  )

  itInFull('does not replace what a service has created in the folder meanwhile', { timeout }, async () => {
    const on = await backedUp()
    mkdirSync(on.at('copy'))
    const { child, finish } = await halfRestored(on, 'copy')
    writeFileSync(on.at('copy/menagerie.db'), 'made meanwhile')
    assert.equal(await finish(), 1)
    assert.deepEqual(readdirSync(on.at('copy')), ['menagerie.db'])
    assert.equal(child.killed, false)
  })

  itInFull('leaves no folder when killed, and the next run cleans up', { timeout }, async () => {
    const on = await backedUp()
    const left = on.left()
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const { child, exited } = await halfRestored(on, 'copy')
      child.kill(signal)
      await exited
      assert.equal(existsSync(on.at('copy')), false)
      if (signal === 'SIGTERM') assert.deepEqual(on.left(), left)
    }
    isDone(await tool(on.env('copy'), ['restore', on.archive]))
    assert.deepEqual(on.left(), [...left, 'copy'].sort())
  })
})

/** The tool once it has extracted the first half of an archive and waits for the rest. */
async function halfRestored(on: Awaited<ReturnType<typeof backedUp>>, name: string) {
  const child: ChildProcess = spawn(process.execPath, [binary, 'restore', '-'], {
    env: on.env(name),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  atEnd(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  child.stdin?.on('error', () => {})
  const whole = readFileSync(on.archive)
  child.stdin?.write(whole.subarray(0, whole.length >> 1))
  const extracted = () =>
    readdirSync(on.path).some(
      (work) => work.includes(`~${child.pid}~`) && existsSync(on.at(`${work}/data/menagerie.db`)),
    )
  await until(extracted, 'the first file to be extracted')
  const finish = async () => {
    child.stdin?.end(whole.subarray(whole.length >> 1))
    return (await exited)[0]
  }
  return { child, exited, finish }
}
