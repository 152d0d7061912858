import assert from 'node:assert/strict'
import { execFileSync, execSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import { sqliteLease } from '../../src/drivers/status-state/sqlite.ts'
import { itInFull, sized, someOf } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { type Both, backedUp, imagesOf, isDone, owner, place, startBoth, startWithOwner } from './backup-stage.ts'
import { md5Of, picture } from './pictures.ts'
import { tool, toolProcess } from './tool.ts'

const timeout = 240_000
const binary = join(import.meta.dirname, '../../src/bin/cli.ts')
const longName = `fox/${'l'.repeat(400)}.png`
const images = ['fox/plain', 'fox/odd.png', longName, 'fox/by-hand.gif']

/** What must be the same afterwards. */
async function stateOf(service: Both, tokens: readonly string[]) {
  const { api, worker } = service
  const me = await Promise.all(tokens.map(async (token) => (await api.request('GET', '/auth/me', { token })).body.user))
  const { incidents } = (await worker.ask('GET', '/incidents')).body
  const { transitions } = (await worker.ask('GET', '/history/job')).body
  const ofJob = incidents.filter(({ componentId }: { componentId: string }) => componentId === 'job')
  return { me, incidents: ofJob, transitions, images: await imagesOf(service, images) }
}

/** Each copies a running service, and returns what remains to be done after the service has ended. */
const ways: Record<string, (from: string, archive: string, to: string) => Promise<() => unknown>> = {
  'cli backup and cli restore': async (from, archive, to) => {
    isDone(await tool({ DATA_DIR: from }, ['backup', archive]))
    return async () => isDone(await tool({ DATA_DIR: to }, ['restore', archive]))
  },
  'cli backup and plain tar': async (from, archive, to) => {
    isDone(await tool({ DATA_DIR: from }, ['backup', archive]))
    mkdirSync(to)
    execFileSync('tar', ['-C', to, '-xf', archive])
    execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: to })
    return () => {}
  },
  'cp -r of the stopped service': async (from, _, to) => () => execFileSync('cp', ['-r', from, to]),
  'tar of the stopped service': async (from, _, to) => () =>
    execSync(`mkdir '${to}' && tar -C '${from}' -cf - . | tar -C '${to}' -xf -`),
}

async function filled(service: Both, dataDir: string) {
  const { api, worker } = service
  const keeper = (await api.login(owner.username, owner.password)).body.accessToken
  const tokens = [keeper, (await api.register('alice')).accessToken]
  await service.upload('fox/plain', Buffer.from(picture('gif')), 'image/gif', keeper)
  await service.upload('fox/odd.png', randomBytes(2_000_000), 'image/x-odd', keeper)
  await service.upload(longName, Buffer.from(picture('png')), 'image/png', keeper)
  writeFileSync(join(dataDir, 'objects/images/fox/by-hand.gif'), picture('gif', 'by hand'))
  for (const status of ['operational', 'degraded']) assert.equal((await worker.beat('job', status)).status, 200)
  // On a busy machine one of the first heartbeat may have been ended by the second.
  await until(async () => (await worker.ask('GET', '/incidents?componentId=job&open=true')).text.includes('"job"'))
  return tokens
}

async function openState(dataDir: string) {
  const keeper = sqliteLease({ dataDir })
  await keeper.acquire(new AbortController().signal, () => {})
  return keeper
}

describe('A backup', { concurrency: true }, () => {
  it('restores a service with the same accounts, tokens, images and worker state', {
    timeout,
    concurrency: true,
  }, async (t) => {
    const on = place()
    mkdirSync(on.dataDir)
    const service = await startBoth(on.dataDir)
    const tokens = await filled(service, on.dataDir)
    const before = await stateOf(service, tokens)
    assert.deepEqual(new Set(before.images.map(({ status }) => status)), new Set([200]))
    const copies = []
    for (const [how, copy] of someOf(1, Object.entries(ways))) {
      const name: string = `copy-${copies.length}`
      copies.push({ how, name, finish: await copy(on.dataDir, on.at(`${name}.tar`), on.at(name)) })
    }
    await service.stop()

    const tests = copies.map(({ how, name, finish }) =>
      t.test(how, async () => {
        await finish()
        const again = await startBoth(on.at(name))
        assert.deepEqual(await stateOf(again, tokens), before)
        assert.equal((await again.api.login('alice')).status, 200)
        await again.stop()
        const verified = JSON.parse((await tool(on.env(name), ['images', 'verify', '--json'])).stdout)
        assert.equal(verified.checksumNotKnown, 0)
        assert.ok(!verified.problems.some(({ what }: { what: string }) => what === 'checksum'))
      }),
    )
    await Promise.all(tests)
  })

  itInFull('contains each image complete and with its type, during uploads and deletes', { timeout }, async () => {
    const on = place()
    mkdirSync(on.dataDir)
    const service = await startWithOwner(on.dataDir)
    const keeper = (await service.api.login(owner.username, owner.password)).body.accessToken
    const versions = [
      { bytes: randomBytes(300_000), type: 'image/gif' },
      { bytes: randomBytes(200_000), type: 'image/png' },
    ] as const
    let [isOver, changes] = [false, 0]
    const runs = sized(1, 3)
    const change = async (n: number) => {
      for (let turn = 0; !isOver; turn++) {
        const { bytes, type } = versions[turn % 2 === 0 ? 0 : 1]
        const other = `fox/passing-${n}-${turn % 3}`
        await service.upload(`fox/changing-${n}`, bytes, type, keeper)
        if (turn % 6 < 3) await service.upload(other, bytes, type, keeper)
        else await service.remove(other, keeper)
        changes++
      }
    }
    const changing = Promise.all([0, 1, 2, 3].map(change))
    for (let run = 0; run < runs; run++) {
      const before = changes
      await until(() => changes > before + sized(12, 24))
      isDone(await tool(on.env(), ['backup', on.at(`backup-${run}.tar`)]))
    }
    isOver = true
    await changing
    await service.api.close()
    for (let run = 0; run < runs; run++) {
      const name = `copy-${run}`
      isDone(await tool(on.env(name), ['restore', on.at(`backup-${run}.tar`)]))
      const store = await openFolderStore({ dataDir: on.at(name) })
      for (let n = 0; n < 4; n++) {
        const place = (name: string) => ({ bucket: 'images', name: `fox/${name}` })
        const passing = await Promise.all([0, 1, 2].map((turn) => store.read(place(`passing-${n}-${turn}`))))
        const changing = (await store.read(place(`changing-${n}`))) ?? assert.fail()
        for (const reading of [changing, ...passing.filter((each) => each !== null)]) {
          const { head } = reading
          const bytes = await reading.whole()
          assert.ok(versions.find(({ type }) => type === head.type)?.bytes.equals(bytes))
          assert.equal(head.etag, md5Of(bytes))
        }
      }
    }
  })

  it('of nothing says where everything is instead', async () => {
    const folder = testFolder()
    const env = {
      DATA_DIR: folder,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      JWT_SECRET: 'x'.repeat(40),
    }
    const { code, stderr } = await tool(env, ['backup', join(folder, '..', 'none.tar')])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /nothing to back up\. Not in it: the accounts, which are in DATABASE_URL: use pg_dump\. Not in it: /,
    )
  })

  it('is private, lists a checksum for each file, and overwrites nothing', { timeout }, async () => {
    const on = await backedUp()
    assert.equal(statSync(on.archive).mode & 0o777, 0o600)
    const names = execFileSync('tar', ['-tf', on.archive], { encoding: 'utf8' }).trim().split('\n')
    const sums = execFileSync('tar', ['-xOf', on.archive, 'SHA256SUMS'], { encoding: 'utf8' }).trim().split('\n')
    const named = sums.map((line) => line.slice(66))
    assert.deepEqual(
      names.filter((name) => !name.endsWith('/') && name !== 'SHA256SUMS'),
      named,
    )
    assert.equal(names.at(-1), 'SHA256SUMS')
    for (const name of ['menagerie.db', 'jwt-secret', 'objects/images/fox/a.png']) assert.ok(named.includes(name), name)
    assert.ok(!names.some((name) => name.includes('catalogue')))

    const left = on.left()
    const again = await tool(on.env(), ['backup', on.archive])
    assert.deepEqual(again, {
      code: 1,
      stdout: '',
      stderr: `${on.archive} exists; choose another name, or move it away.\n`,
    })
    for (const [file, reason] of [
      [on.at('nowhere/backup.tar'), /nowhere: no such folder; create it\.$/m],
      [on.path, /exists; choose another name/],
    ] as const) {
      const ran = await tool(on.env(), ['backup', file])
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, reason)
    }
    const nothing = await tool(on.env('nothing'), ['backup', on.at('other.tar')])
    assert.match(nothing.stderr, /nothing: no such folder; check DATA_DIR/)
    assert.deepEqual(on.left(), left)
  })

  itInFull(
    'names what DATABASE_URL, S3_ENDPOINT and JWT_SECRET exclude, and backs up the rest',
    {
      timeout,
    },
    async () => {
      const on = await backedUp()
      const namesIn = (file: string) => execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')
      const shared = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
      const one = await tool({ ...on.env(), ...shared }, ['backup', on.at('one.tar')])
      assert.match(one.stdout, /^Not in it: the accounts, which are in DATABASE_URL: use pg_dump\.$/m)
      assert.ok(!namesIn(on.at('one.tar')).includes('menagerie.db'))
      assert.ok(namesIn(on.at('one.tar')).includes('objects/images/fox/a.png'))
      const other = { S3_ENDPOINT: 'http://127.0.0.1:1', JWT_SECRET: 'x'.repeat(40) }
      const two = await tool({ ...on.env(), ...other }, ['backup', on.at('two.tar')])
      assert.match(two.stdout, /^Not in it: the images, which are in S3_ENDPOINT/m)
      assert.match(two.stdout, /^Not in it: JWT_SECRET, which is a setting/m)
      assert.deepEqual(namesIn(on.at('two.tar')), ['menagerie.db', 'jwt-secret', 'SHA256SUMS'])
      const restored = await tool({ ...on.env('copy'), ...shared }, ['restore', on.at('one.tar')])
      assert.match(restored.stdout, /^Not restored: the status worker's state, which is in PostgreSQL/m)
      assert.ok(existsSync(on.at('copy/objects/images/fox/a.png')))
    },
  )

  itInFull('leaves no archive after a failure or kill, and the next run cleans up', { timeout }, async () => {
    const on = await backedUp()
    const { close } = await openState(on.dataDir)
    await close()
    const left = on.left()
    // As a worker of version 0.1 locks it.
    const locked = new DatabaseSync(join(on.dataDir, 'status.db'))
    locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    // In a process of its own, since waiting for the lock blocks it.
    const failed = await toolProcess(on.env(), ['backup', on.at('other.tar')])
    assert.equal(failed.code, 1)
    assert.match(failed.stderr, /^[^\n]*status\.db cannot be copied: database is locked\n$/)
    assert.deepEqual(on.left(), left)

    const killed = spawn(process.execPath, [binary, 'backup', on.at('other.tar')], { env: on.env(), stdio: 'ignore' })
    const exited = once(killed, 'exit')
    await until(() => on.left().some((name) => name.includes(`~${killed.pid}~`)))
    killed.kill('SIGKILL')
    await exited
    assert.equal(on.left().length, left.length + 1)
    assert.equal(existsSync(on.at('other.tar')), false)
    locked.close()
    isDone(await tool(on.env(), ['backup', on.at('other.tar')]))
    assert.deepEqual(on.left(), [...left, 'other.tar'].sort())
  })

  itInFull('fails if the reader of standard output leaves, and leaves nothing', { timeout }, async () => {
    const on = await backedUp()
    const env = { ...on.env(), TMPDIR: on.at('pictures') }
    const left = readdirSync(on.at('pictures'))
    const child = spawn(process.execPath, [binary, 'backup', '-'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual({ code, stderr }, { code: 1, stderr: 'Cannot write to standard output: write EPIPE\n' })
    assert.deepEqual(readdirSync(on.at('pictures')), left)
  })

  itInFull('keeps the times of images, even beyond the range of tar headers', { timeout }, async () => {
    const on = await backedUp()
    const times = ['1960-02-03T04:05:06Z', '2300-01-01T00:00:00Z', '2020-02-03T04:05:06.789Z'].map((at) => new Date(at))
    const pathOf = (name: string, time: Date) => on.at(`${name}/objects/images/fox/${time.getTime()}.gif`)
    for (const time of times) {
      writeFileSync(pathOf('data', time), picture('gif'))
      utimesSync(pathOf('data', time), time, time)
    }
    isDone(await tool(on.env(), ['backup', on.at('times.tar')]))
    isDone(await tool(on.env('copy'), ['restore', on.at('times.tar')]))
    for (const time of times) assert.equal(Math.floor(statSync(pathOf('copy', time)).mtimeMs), time.getTime())
  })

  itInFull('writes to standard output with -, and restore reads standard input', { timeout }, async () => {
    const on = await backedUp()
    const [from, to] = [on.dataDir, on.at('copy')].map((dir) => `DATA_DIR='${dir}' '${process.execPath}' '${binary}'`)
    execSync(`${from} backup - | ${to} restore -`, { stdio: 'pipe' })
    const inNpm = { ...on.env(), npm_lifecycle_event: 'cli', npm_config_loglevel: 'error' }
    const { code, stdout, stderr } = await tool(inNpm, ['backup', '-'])
    assert.deepEqual([code, stdout], [2, ''], 'the lines of npm would be in the archive')
    assert.match(stderr, /use npm run -s cli -- backup -\.$/m)
    const silent = await tool({ ...inNpm, npm_config_loglevel: 'silent' }, ['backup', '-'])
    assert.deepEqual([silent.code, silent.stdout.includes('menagerie.db')], [0, true])
    assert.ok(existsSync(on.at('copy/objects/images/fox/a.png')))
    assert.ok(readFileSync(on.at('copy/jwt-secret')).equals(readFileSync(join(on.dataDir, 'jwt-secret'))))
  })
})
