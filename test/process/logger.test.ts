import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { descriptorSink, terminalSink } from '../../src/process/log-sink.ts'
import { createLogs } from '../../src/process/logger.ts'
import { ask, head } from '../http/wire.ts'
import { fakeClock } from '../support/clock.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'
import { startService } from '../support/service.ts'
import { testFolder } from '../support/test-folder.ts'

const needsFifo = { skip: process.platform === 'win32' ? 'Windows has no FIFO in its folders' : false }

function logsInto(lines: string[], level = 'debug') {
  return createLogs(level, fakeClock(), { write: (line) => lines.push(line), flush() {} })
}

describe('A log line', () => {
  it('is JSON on one line with its level and the time', () => {
    const lines: string[] = []
    const { log } = logsInto(lines)
    log.warn({ part: 'database' }, 'a dependency is unavailable')
    assert.equal(
      lines.join(''),
      '{"level":"warn","time":"2026-06-01T12:00:00.000Z","part":"database","msg":"a dependency is unavailable"}\n',
    )
  })

  it('stays one complete line, whatever it contains', () => {
    assertProperty(
      fc.property(fc.string({ unit: anyCodePoint }), fc.string({ unit: anyCodePoint }), (message, value) => {
        const lines: string[] = []
        logsInto(lines).log.info({ value }, message)
        const text = lines.join('')
        assert.equal(text.indexOf('\n'), text.length - 1)
        assert.equal(JSON.parse(text).value, value.toWellFormed())
      }),
    )
  })

  for (const name of [
    ...['authorization', 'cookie', 'password', 'currentPassword', 'newPassword', 'accessToken', 'token', 'secret'],
    ...['accessKeyId', 'secretAccessKey', 'sessionToken', 'connectionString', 'apiKey', 'x-api-key'],
  ]) {
    it(`shows no ${name}, up to three levels down`, () => {
      const lines: string[] = []
      const { log } = logsInto(lines)
      for (const fields of [
        { [name]: 'hunter2' },
        { body: { [name]: 'hunter2' } },
        { req: { headers: { [name]: 'hunter2' } } },
      ])
        log.error(fields, 'x')
      log.child({ [name]: 'hunter2' }).info('x')
      assert.doesNotMatch(lines.join(''), /hunter2/)
      assert.equal(lines.join('').split('[redacted]').length, 5)
    })
  }

  it('is not written below its level, the access log included', () => {
    const lines: string[] = []
    const logs = logsInto(lines, 'warn')
    logs.log.info('x')
    logs.line('{}\n')
    assert.deepEqual(lines, [])
  })
})

const colours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

describe('A log line for a terminal', () => {
  const shown = (line: object) => {
    let text = ''
    const out = { write: (part: string) => (text += part), on() {} }
    terminalSink(out as never).write(JSON.stringify(line))
    return text
  }

  it('shows time, level, message and fields', () => {
    const plain = shown({
      level: 'info',
      time: '2026-06-01T12:00:00.000Z',
      msg: 'request',
      path: '/a',
      userId: 'a b',
    }).replaceAll(colours, '')
    assert.equal(plain, '12:00:00 info  request path=/a userId="a b"\n')
  })

  it('never passes on terminal control sequences or line breaks from outside', () => {
    assertProperty(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        for (const line of [{ path: text }, { msg: text }, { deep: { x: text } }]) {
          const plain = shown({ level: 'info', time: '', msg: '', ...line }).replaceAll(colours, '')
          assert.doesNotMatch(plain.slice(0, -1), /\p{Cc}/u)
        }
      }),
    )
  })
})

describe('The stack of an error', () => {
  it('is printed below its line, indented, so that no message in it looks like a log line', () => {
    let text = ''
    const out = { write: (part: string) => (text += part), on() {} }
    const err = { stack: 'Error: x\n12:00:00 info forged\u001b[31m\n    at y' }
    terminalSink(out as never).write(
      JSON.stringify({ level: 'error', time: '2026-06-01T12:00:00.000Z', msg: 'failed', err }),
    )
    const [, ...rest] = text.trimEnd().split('\n')
    assert.deepEqual(rest, ['  Error: x', '  12:00:00 info forged\\x1b[31m', '      at y'])
  })
})

describe('The log output', () => {
  it('is complete and in order, written at once or at the end', (t) => {
    const folder = testFolder()
    const file = join(folder, 'log')
    const descriptor = openSync(file, 'a')
    t.after(() => {
      closeSync(descriptor)
    })
    const sink = descriptorSink(descriptor)
    const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'é'.repeat(50)}\n`)
    for (const line of lines) sink.write(line)
    sink.flush()
    assert.equal(readFileSync(file, 'utf8'), lines.join(''))
  })

  it('loses no line to a reader that pauses', needsFifo, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const folder = testFolder()
    const path = join(folder, 'fifo')
    execFileSync('mkfifo', [path])
    const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    t.after(() => {
      closeSync(descriptor)
    })
    const full = Buffer.alloc(1_048_576, '-')
    assert.ok(writeSync(descriptor, full) < full.length)
    const sink = descriptorSink(descriptor)
    const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ${'é'.repeat(100)}\n`)
    const pass = async () => {
      t.mock.timers.tick(100)
      await nextTurn()
    }
    for (const line of lines) {
      sink.write(line)
      await pass()
    }
    const expected = Buffer.from(lines.join(''))
    const found: Buffer[] = []
    for (let bytes = 0; bytes < expected.length; await pass()) {
      try {
        const piece = full.subarray(0, readSync(descriptor, full)).toString('latin1').replace(/^-+/, '')
        found.push(Buffer.from(piece, 'latin1'))
        bytes += piece.length
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
      }
    }
    assert.ok(Buffer.concat(found).equals(expected))
  })

  it('is dropped at exit if it cannot be written: a full disk, an invalid descriptor', () => {
    const targets = [1_000_000, ...(existsSync('/dev/full') ? [openSync('/dev/full', 'w')] : [])]
    for (const descriptor of targets) {
      const sink = descriptorSink(descriptor)
      for (let index = 0; index < 10; index++) sink.write('x\n')
      sink.flush()
    }
  })
})

describe('The access log', () => {
  it('has one line per request, refused ones included, and nothing from headers, query or body', async () => {
    const service = await startService()
    const { accessToken, id } = await service.register('logged', 'a password to look for')
    await service.request('GET', '/auth/me?token=query-secret', {
      token: accessToken,
      headers: { cookie: 'cookie-secret' },
    })
    await service.request('GET', '/nowhere')
    await service.request('POST', '/auth/login', { body: '{"password":"body-secret"' })
    const lines = service.logged().filter(({ msg }) => msg === 'request')
    assert.deepEqual(
      lines.map(({ method, path, status, userId, error }) => [method, path, status, userId, error]),
      [
        ['POST', '/auth/register', 201, id, undefined],
        ['GET', '/auth/me', 200, id, undefined],
        ['GET', '/nowhere', 404, undefined, 'Not Found - GET /nowhere'],
        ['POST', '/auth/login', 400, undefined, 'Request body is not valid JSON'],
      ],
    )
    const text = JSON.stringify(service.logged())
    for (const secret of [
      'a password to look for',
      accessToken.slice(7),
      'query-secret',
      'cookie-secret',
      'body-secret',
    ])
      assert.ok(!text.includes(secret), secret)
    for (const { time, durationMs, address } of lines) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.ok(Number(durationMs) >= 0 && address === '127.0.0.1')
    }
  })

  it('truncates a path at 256 characters', async () => {
    const service = await startService()
    await service.request('GET', `/${'x'.repeat(8000)}`)
    const line = service.logged().findLast(({ msg }) => msg === 'request')
    assert.equal(line?.path, `/${'x'.repeat(255)}…`)
    assert.ok(JSON.stringify(line).length < 1200, 'the whole line')
  })

  it('cannot be injected with lines or fields by a path', async () => {
    const service = await startService()
    for (const path of ['/%0a{"level":"fatal"}', '/","level":"fatal', '/%1b[31m', '/%E2%80%A8x', '/\\n\\"'])
      await ask(service.port, head('GET', path))
    const lines = service.logged().filter(({ msg }) => msg === 'request')
    assert.equal(lines.length, 5)
    assert.ok(lines.every(({ level, status }) => level === 'info' && status === 404))
  })

  it('is empty with LOG_LEVEL=warn', async () => {
    const lines: string[] = []
    const service = await startService({ overrides: { logs: logsInto(lines, 'warn') } })
    await service.request('GET', '/health')
    assert.deepEqual(lines, [])
  })

  it('is empty with LOG_REQUESTS=false, and other lines stay', async () => {
    const lines: string[] = []
    const logs = logsInto(lines, 'info')
    const service = await startService({ env: { LOG_REQUESTS: 'false' }, overrides: { logs } })
    await service.request('GET', '/health')
    logs.log.info('a line')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['a line'],
    )
  })
})
