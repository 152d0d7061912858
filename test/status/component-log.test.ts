import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLogs } from '../../src/process/logger.ts'
import { type Event, next } from '../../src/status/component.ts'
import { createComponentLog } from '../../src/status/component-log.ts'
import type { Notice } from '../../src/status/publication.ts'
import { fakeClock } from '../support/clock.ts'
import { deadline, heartbeat, published, silent } from './component-stage.ts'

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

describe('The log of an incident', () => {
  const { component, now, rules } = silent()
  const retire: Event = { kind: 'retire', status: 'maintenance' }
  const run: Event = { kind: 'run', rid: null, body: null, maxRunMs: 60_000 }
  for (const [title, { effects }, message] of [
    ['a missed heartbeat', silent(), 'heartbeat missed: incident opened'],
    ['a lost run', published().happen(run).wait(60_000).happen(deadline), 'run did not end in time: incident opened'],
    ['a heartbeat', silent().happen(heartbeat('operational')), 'heartbeat received: incident resolved'],
    ['the retired component', next(component, retire, now, rules), 'component retired: incident resolved'],
  ] as const)
    it(`names its cause: ${title}`, () => {
      const lines: string[] = []
      const { log } = createLogs('info', fakeClock(), { write: (line) => lines.push(line), flush() {} })
      createComponentLog(log, fakeClock()).changed('db', effects)
      const said = lines.map((line) => JSON.parse(line).msg).filter((msg) => msg.includes('incident'))
      assert.equal(said.at(-1), message)
    })
})
