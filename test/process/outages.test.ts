import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { createLogs } from '../../src/process/logger.ts'
import { createOutages } from '../../src/process/outages.ts'
import { fakeClock } from '../support/clock.ts'

function stage() {
  const lines: string[] = []
  const { log } = createLogs('info', fakeClock(), { write: (line) => lines.push(line), flush() {} })
  const shown = () => lines.map((line) => JSON.parse(line)).map(({ msg, part, err }) => [msg, part, err])
  return { ...createOutages(log), shown }
}

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
})
const away = new Unavailable('the object store', refused)
const err = { type: 'Unavailable', message: 'the object store is not reachable: connect ECONNREFUSED 127.0.0.1:9' }

describe('An outage', () => {
  it('is one line when a part fails and one when it recovers, whatever notices it, without a stack', () => {
    const { log, gone, back, shown } = stage()
    log.warn({ key: 'fox/a.png', err: away }, 'an image could not be served')
    log.error({ requestId: '1', err: away }, 'the object store is not reachable')
    gone('objectStore', away)
    log.error({ err: new Unavailable('database', refused) }, 'could not be written')
    back('objectStore')
    back('objectStore')
    log.warn({ err: new Unavailable('the list of images') }, 'logged by the catalogue itself')
    gone('objectStore', new Error('again'))
    assert.deepEqual(shown(), [
      ['a dependency is unavailable', 'objectStore', err],
      [
        'a dependency is unavailable',
        'database',
        { ...err, message: err.message.replace('the object store', 'database') },
      ],
      ['a dependency is available again', 'objectStore', undefined],
      ['a dependency is unavailable', 'objectStore', { type: 'Error', message: 'again' }],
    ])
  })

  it('is one line too for a full disk under the images, and is over when the probe says so', () => {
    const { log, isAway, back, shown } = stage()
    const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    for (let upload = 0; upload < 3; upload++) log.error({ err: noSpace }, 'request failed')
    assert.equal(isAway('objectStore'), true)
    back('objectStore')
    assert.deepEqual(shown(), [
      ['a dependency is unavailable', 'objectStore', { type: 'Error', message: noSpace.message }],
      ['a dependency is available again', 'objectStore', undefined],
    ])
  })

  it('is one line for a lack of file descriptors, whatever part notices it', () => {
    const { log, gone, back, shown } = stage()
    const none = Object.assign(new Error('EMFILE: too many open files, open a.png'), { code: 'EMFILE' })
    log.error({ err: none }, 'request failed')
    log.error({ err: new Unavailable('database', none) }, 'could not be written')
    gone('objectStore', none)
    back('objectStore')
    back('fileDescriptors')
    const [first, second, ...others] = shown()
    assert.match(first?.[2].message, /no file descriptor is left .*raise the limit/)
    assert.deepEqual([second, others], [['a dependency is available again', 'fileDescriptors', undefined], []])
  })

  it('leaves all other lines as they are, with the stack of a bug', () => {
    const { log, shown } = stage()
    log.warn('a')
    log.error({ err: new TypeError('x') }, 'b')
    log.error({ err: refused }, 'c')
    const [a, b, c] = shown()
    assert.deepEqual(
      [a, b?.[0], c],
      [['a', undefined, undefined], 'b', ['c', undefined, { type: 'Error', message: refused.message }]],
    )
    assert.match(b?.[2].stack, /^TypeError: x\n {4}at /)
  })
})
