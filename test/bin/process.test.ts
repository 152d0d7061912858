import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { head, refused, Wire } from '../http/wire.ts'
import { atEnd } from '../support/at-end.ts'
import { isFullSize, sized, someOf } from '../support/size.ts'
import { atLeast } from '../support/until.ts'
import { isAlive, type Program, Running, until } from './processes.ts'

const linux = process.platform !== 'linux' && 'needs /proc'

/** What both programs do alike costs the worker half the CPU. */
const alike = isFullSize ? (['api', 'status-worker'] as const) : (['status-worker'] as const)
const signals = ['SIGTERM', 'SIGINT'] as const

const missingPython = !existsSync('/usr/bin/python3') && 'needs python3'
const startProgram = join(import.meta.dirname, '../../src/bin/start.js')
/** Passes on what appears on the terminal, and closes it at the end of standard input. */
const terminal = `
import os, pty, select, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
terminal = [fd]
while True:
    ready, _, _ = select.select([0, *terminal], [], [])
    if 0 in ready: break
    try: os.write(1, os.read(fd, 65536))
    except OSError: terminal = []
os.close(fd)
os.write(1, b'terminal closed')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`
const inTerminal = (...command: readonly string[]) => ['/usr/bin/python3', '-c', terminal, ...command] as const

const portOf = ({ port, statusPort }: Running, program: Program) => (program === 'api' ? port : statusPort)
const healthOf = (running: Running, program: Program) =>
  `http://127.0.0.1:${portOf(running, program)}${program === 'api' ? '/health' : '/livez'}`
const alive = async (url: string) => (await fetch(url)).status

/** A request that stays pending for as long as the test wants. */
async function underWay(running: Running, program: Program = 'api'): Promise<Wire> {
  const path = program === 'api' ? '/auth/login' : '/heartbeat/one'
  const wire = new Wire(portOf(running, program))
  wire.send(head('POST', path, { Expect: '100-continue', 'Content-Length': 2 }))
  assert.equal((await wire.answer()).status, 100)
  return wire
}

describe('A process', { concurrency: 4 }, () => {
  for (const program of alike)
    for (const signal of isFullSize ? signals : signals.slice(1))
      it(`${program} ignores SIGHUP, stops at ${signal} with exit code 0, logs it, and keeps its files only in DATA_DIR`, async () => {
        const running = await Running.listening(program)
        const url = healthOf(running, program)
        running.child.kill('SIGHUP')
        for (let index = 0; index < 5; index++) assert.equal(await alive(url), 200)
        assert.equal(running.child.exitCode, null)
        running.child.kill(signal)
        assert.deepEqual([(await running.ended).code, running.err], [0, ''])
        await running.closed
        assert.match(running.out, new RegExp(`"reason":"${signal}"`))
        for (const name of ['menagerie.db', 'jwt-secret'])
          assert.equal(existsSync(join(running.dataDir, name)), program === 'api')
        assert.equal(existsSync(join(running.dataDir, 'status.db')), program === 'status-worker')
      })

  it('answers pending requests before it stops, with /ready at 503, accepts no new ones, and treats two signals within a second as one', async () => {
    const running = await Running.listening('api')
    const wire = await underWay(running)
    running.child.kill('SIGINT')
    running.child.kill('SIGTERM')
    await running.said(/api is stopping/)
    await refused(running.port)
    const answers = await wire.send(`{}${head('GET', '/ready')}`).toTheEnd()
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 400, 503],
    )
    assert.equal(answers.at(-1)?.headers.connection, 'close')
    assert.equal((await running.ended).code, 0)
  })

  for (const program of alike)
    it(`${program} ends with exit code 1, before pending requests have finished, at a signal more than a second later`, async () => {
      const running = await Running.listening(program)
      await underWay(running, program)
      running.child.kill('SIGTERM')
      await running.said(/is stopping/)
      await atLeast(1_100)
      assert.equal(running.child.exitCode, null)
      running.child.kill('SIGTERM')
      assert.equal((await running.ended).code, 1)
    })
})

describe('The log output of a process', { concurrency: 4 }, () => {
  for (const program of alike) {
    for (const requests of someOf(1, [sized(20, 200), 0]))
      it(`may lose its reader (| head -1) ${requests} requests before the stop: ${program} continues, and stops with 0`, async () => {
        const running = await Running.listening(program)
        running.child.stdout?.destroy()
        for (let index = 0; index < requests; index++) assert.equal(await alive(healthOf(running, program)), 200)
        running.child.kill('SIGTERM')
        assert.deepEqual([(await running.ended).code, running.err], [0, ''])
      })

    it(`may have a reader that does not read: ${program} answers requests, and its stop is not delayed`, async () => {
      const running = await Running.listening(program)
      running.child.stdout?.pause()
      const wire = new Wire(portOf(running, program))
      const requests = sized(500, 4_000)
      wire.send(head('GET', `/${'x'.repeat(250)}`).repeat(requests))
      await wire.answers(requests)
      wire.close()
      running.child.kill('SIGTERM')
      assert.equal((await running.ended).code, 0)
    })

    it(`may go to a full disk: ${program}`, { skip: !existsSync('/dev/full') && 'needs /dev/full' }, async (t) => {
      const full = openSync('/dev/full', 'w')
      t.after(() => closeSync(full))
      const running = await Running.start(program, { stdout: full })
      const url = healthOf(running, program)
      await until(() =>
        alive(url).then(
          (status) => status === 200,
          () => false,
        ),
      )
      for (let index = 0; index < sized(30, 300); index++) assert.equal(await alive(`${url}/${'x'.repeat(250)}`), 404)
      running.child.kill('SIGTERM')
      assert.equal((await running.ended).code, 0)
    })
  }
})

describe('npm start', { concurrency: 4 }, () => {
  // test/bin/reports.test.ts covers SIGTERM.
  for (const signal of isFullSize ? signals : []) {
    it(`runs both processes, passes on their lines, and ends both at ${signal} with 0`, async () => {
      const running = await Running.listening('start')
      assert.deepEqual([await alive(`${running.url}/health`), await alive(`${running.workerUrl}/livez`)], [200, 200])
      assert.match(running.out, /api is listening/)
      assert.match(running.out, /status worker is listening/)
      running.child.kill(signal)
      assert.equal((await running.ended).code, 0)
      await assert.rejects(fetch(`${running.url}/health`))
      await assert.rejects(fetch(`${running.workerUrl}/livez`))
    })
  }

  it('ignores SIGHUP without a terminal, and ends with 0 if SIGINT reaches the whole group at once', {
    skip: linux,
  }, async () => {
    const running = await Running.listening('start')
    for (const pid of [...running.children(), running.child.pid as number]) process.kill(pid, 'SIGHUP')
    for (const url of [running.url, running.workerUrl])
      assert.equal(await alive(`${url}/livez`), url === running.url ? 404 : 200)
    const wire = await underWay(running)
    for (const pid of running.children()) process.kill(pid, 'SIGINT')
    running.child.kill('SIGINT')
    await running.said(/is stopping/, 2)
    const [, answer] = await wire.send('{}').answers(2)
    assert.equal(answer?.status, 400)
    assert.equal((await running.ended).code, 0)
  })

  it('stops when its terminal is closed, with 0', { skip: missingPython }, async () => {
    const running = await Running.listening('start', { command: inTerminal(process.execPath, startProgram) })
    running.child.stdin?.end()
    assert.equal((await running.ended).code, 0)
    for (const url of [running.url, running.workerUrl]) await assert.rejects(fetch(url))
  })

  it('keeps running under nohup when its terminal is closed', {
    skip: missingPython || (!isFullSize && 'only in npm run test:all'),
  }, async () => {
    // nohup writes to nohup.out, in the working directory.
    const running = await Running.start('start', { command: inTerminal('nohup', process.execPath, startProgram) })
    const isReady = () =>
      fetch(`${running.url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(isReady, 'it is ready')
    running.child.stdin?.end()
    await running.said(/terminal closed/)
    for (let index = 0; index < 20; index++) assert.equal(await isReady(), true)
    const [pid] = running.children()
    process.kill(pid as number, 'SIGTERM')
    assert.equal((await running.ended).code, 0)
    assert.match(readFileSync(join(running.dataDir, 'nohup.out'), 'utf8'), /"reason":"SIGTERM"/)
  })

  // In npm test, test/bin/reports.test.ts covers it.
  for (const index of isFullSize ? [0, 1] : []) {
    it(`says so, stops the other process and ends with 1 if one is killed: child ${index}`, {
      skip: linux,
    }, async () => {
      const running = await Running.listening('start')
      const pids = running.children()
      assert.equal(pids.length, 2)
      process.kill(pids[index] as number, 'SIGKILL')
      assert.equal((await running.ended).code, 1)
      assert.match(running.err, /"msg":"menagerie: (api|status-worker) was ended by SIGKILL, so the service stops"/)
      assert.deepEqual(pids.filter(isAlive), [])
    })
  }

  it('ends with 1 if one process cannot start, and leaves none behind', { skip: linux }, async () => {
    const other = createServer().listen(0, '127.0.0.1')
    atEnd(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const running = await Running.start('start', { env: { STATUS_PORT: String(port) } })
    assert.equal((await running.ended).code, 1)
    assert.match(
      running.err,
      /^{"level":"fatal".*"msg":"status worker: STATUS_PORT: \d+ on 127\.0\.0\.1 is in use[^\n]*\n$/,
    )
    await assert.rejects(fetch(`${running.url}/health`))
  })
})
