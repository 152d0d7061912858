import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CircuitBreaker,
  createCircuitBreaker,
  type Ticket,
} from '../../../../src/drivers/objects/s3/circuit-breaker.ts'
import { fakeClock } from '../../../support/clock.ts'

const openMs = 1_000

function stage() {
  const clock = fakeClock()
  const breaker = createCircuitBreaker(clock, openMs)
  return { clock, breaker }
}

function entered(breaker: CircuitBreaker): Ticket {
  const ticket = breaker.enter()
  assert.ok(ticket !== null, 'nobody is let in')
  return ticket
}

function away() {
  const parts = stage()
  parts.breaker.failed(entered(parts.breaker))
  return parts
}

describe('The circuit breaker', () => {
  it('admits everybody while nothing has failed', () => {
    const { breaker } = stage()
    for (let count = 0; count < 100; count++) assert.ok(!breaker.isProbe(entered(breaker)))
    assert.equal(breaker.isOpen(), false)
  })

  it('admits nobody for a while after a failure', () => {
    const { breaker, clock } = away()
    assert.equal(breaker.enter(), null)
    clock.advance(openMs - 1)
    assert.equal(breaker.enter(), null)
    assert.equal(breaker.isOpen(), true)
  })

  it('then admits one at a time', () => {
    const { breaker, clock } = away()
    clock.advance(openMs)
    assert.equal(breaker.isOpen(), false)
    assert.ok(breaker.isProbe(entered(breaker)))
    assert.equal(breaker.enter(), null)
    clock.advance(10 * openMs)
    assert.equal(breaker.enter(), null)
  })

  it('closes with the first response', () => {
    const { breaker, clock } = away()
    clock.advance(openMs)
    breaker.responded(entered(breaker))
    assert.ok(!breaker.isProbe(entered(breaker)))
    entered(breaker)
  })

  it('closes with a response to an earlier request, too', () => {
    const { breaker } = stage()
    const [slow, failing] = [entered(breaker), entered(breaker)]
    breaker.failed(failing)
    assert.equal(breaker.enter(), null)
    breaker.responded(slow)
    entered(breaker)
  })

  it('waits as long again after a failed probe', () => {
    const { breaker, clock } = away()
    clock.advance(openMs)
    breaker.failed(entered(breaker))
    clock.advance(openMs - 1)
    assert.equal(breaker.enter(), null)
    clock.advance(1)
    assert.ok(breaker.isProbe(entered(breaker)))
  })

  it('admits the next probe when the caller of one leaves', () => {
    const { breaker, clock } = away()
    clock.advance(openMs)
    breaker.abandoned(entered(breaker))
    assert.ok(breaker.isProbe(entered(breaker)))
  })

  it('does not open for a failure if others got a response since that request began', () => {
    const { breaker } = stage()
    const [slow, quick] = [entered(breaker), entered(breaker)]
    breaker.responded(quick)
    breaker.failed(slow)
    assert.equal(breaker.isOpen(), false)
    breaker.failed(entered(breaker))
    assert.equal(breaker.isOpen(), true)
  })

  it('is not affected by callers who leave', () => {
    const { breaker } = stage()
    breaker.abandoned(entered(breaker))
    entered(breaker)
    const open = away()
    open.breaker.abandoned(99)
    assert.equal(open.breaker.enter(), null)
  })

  it('is not affected by setting the clock', () => {
    const { breaker, clock } = away()
    clock.advance(-3_600_000)
    assert.equal(breaker.enter(), null)
    clock.advance(openMs)
    assert.ok(breaker.isProbe(entered(breaker)))
  })
})
