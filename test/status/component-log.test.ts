import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLogs } from '../../src/process/logger.ts'
import { createComponentLog } from '../../src/status/component-log.ts'
import type { Notice } from '../../src/status/publication.ts'
import { fakeClock } from '../support/clock.ts'

describe('The log of a status page that is down for an hour', () => {
  it('has one line a minute for each component and target, however often they are tried, and one when it is back', () => {
    const clock = fakeClock()
    const lines: string[] = []
    const { log } = createLogs('info', clock, { write: (line) => lines.push(line), flush() {} })
    const componentLog = createComponentLog(log, clock)
    const push = (outcome: Parameters<typeof componentLog.pushed>[2]) => {
      for (const target of ['default', 'other'])
        for (const componentId of ['a', 'b', 'c'])
          componentLog.pushed(target, { componentId, status: 'outage' } as Notice, outcome)
    }
    for (let second = 0; second < 3_600; second++) {
      push({ kind: 'uncertain', reason: 'the connection was refused' })
      clock.advance(1_000)
    }
    assert.equal(lines.length, 6 * 60)
    lines.length = 0
    for (let turn = 0; turn < 3; turn++) push({ kind: 'accepted' })
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      Array(6).fill('the status page accepts pushes again'),
    )
  })
})
