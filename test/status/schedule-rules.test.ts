import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  maxTimeoutSeconds,
  minTimeoutSeconds,
  noSchedule,
  rescheduled,
  runAfter,
  type TimeoutRules,
  timeoutSource,
} from '../../src/status/schedule.ts'
import {
  componentIdPattern,
  isDown,
  maxLinked,
  maxNamed,
  maxRecords,
  maxRuns,
  statuses,
  uptimeStates,
} from '../../src/status/statuses.ts'

const rules: TimeoutRules = { timeoutMs: 180_000, maintenanceTimeoutMs: 14_400_000, configured: null }
const cron = { expression: '0 3 * * *', tz: 'UTC' }

describe('A schedule', () => {
  it('has timeouts from 10 s to 31 days', () => {
    assert.deepEqual([minTimeoutSeconds, maxTimeoutSeconds], [10, 2_678_400])
  })

  it('means the run that a heartbeat comes up to 60 s before', () => {
    const run = Date.parse('2026-06-01T03:00:00Z')
    const next = [60_001, 60_000, 0].map((early) => runAfter(cron, run - early) - run)
    assert.deepEqual(next, [0, 86_400_000, 86_400_000])
    assert.equal(runAfter({ ...cron, tz: 'Europe/Nowhere' }, 5), 5 + 366 * 86_400_000)
  })

  it('is another in another time zone', () => {
    const before = rescheduled(noSchedule, { status: 'operational', cron })
    assert.equal(rescheduled(before, { status: 'operational', cron: { ...cron } }), before)
    const berlin = { ...cron, tz: 'Europe/Berlin' }
    assert.deepEqual(rescheduled(before, { status: 'operational', cron: berlin }).cron, berlin)
  })

  it('names where its timeout comes from', () => {
    const source = (more: object, status: 'operational' | 'maintenance') =>
      timeoutSource({ ...noSchedule, ...more }, status, rules, 0)
    assert.equal(source({ cron }, 'operational'), 'heartbeat')
    assert.equal(source({ maintenanceTimeoutMs: 5 }, 'operational'), 'default')
    assert.equal(source({ maintenanceTimeoutMs: 5 }, 'maintenance'), 'heartbeat')
    assert.equal(source({ timeoutMs: rules.maintenanceTimeoutMs }, 'operational'), 'heartbeat')
    assert.equal(source({ timeoutMs: rules.maintenanceTimeoutMs }, 'maintenance'), 'default')
  })
})

describe('The statuses', () => {
  it('are five, of which two are down', () => {
    assert.deepEqual(statuses, ['operational', 'degraded', 'partial', 'outage', 'maintenance'])
    assert.deepEqual(uptimeStates, [...statuses, 'silent'])
    assert.deepEqual(statuses.filter(isDown), ['partial', 'outage'])
  })

  it('have components with names of up to 64 characters, and the limits of the documents', () => {
    assert.equal(componentIdPattern, '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$')
    assert.deepEqual([maxNamed, maxRuns, maxLinked, maxRecords], [20, 20, 5, 10_000])
  })
})
