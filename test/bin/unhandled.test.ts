import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { head, Wire } from '../http/wire.ts'
import { type Program, Running } from './processes.ts'

/** A bug that a signal sets off. */
const bugs = {
  'a rejection that nobody handles': "Promise.reject(new Error('of a bug'))",
  'an exception that nobody catches': "setImmediate(() => { throw new Error('of a bug') })",
}
const root = join(import.meta.dirname, '../../src/bin')

describe('A process with', { skip: process.platform === 'win32' && 'no such signals there', concurrency: 2 }, () => {
  for (const [title, bug] of Object.entries(bugs))
    for (const program of ['api', 'status-worker'] as const satisfies readonly Program[])
      it(`${title} logs it once, answers what is pending, and ends with 1: ${program}`, async () => {
        const script = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => ${bug})`)}`
        const command = [process.execPath, `--import=${script}`, join(root, `${program}.ts`)] as const
        const running = await Running.listening(program, { command })
        const port = program === 'api' ? running.port : running.statusPort
        const path = program === 'api' ? '/auth/login' : '/heartbeat/one'
        const wire = new Wire(port).send(head('POST', path, { Expect: '100-continue', 'Content-Length': 2 }))
        assert.equal((await wire.answer()).status, 100)
        running.child.kill('SIGUSR2')
        await running.said(/"level":"fatal".*of a bug/)
        const [, answer] = await wire.send('{}').answers(2)
        assert.equal(answer?.status, 400)
        assert.equal((await running.ended).code, 1)
        await running.closed
        assert.equal(running.err, '')
        assert.equal(running.out.split('\n').filter((line) => line.includes('"level":"fatal"')).length, 1)
      })
})
