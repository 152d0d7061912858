import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Component, Moment, Rules } from '../../src/status/component.ts'
import { newPublication, type Publication, type Target } from '../../src/status/publication.ts'
import { type Status, statuses } from '../../src/status/statuses.ts'
import {
  isOutdatedAt,
  isUnpublished,
  publicationOf,
  retriesOf,
  statusOf,
  targetsOf,
  toldOf,
  wantedAt,
  wantedOf,
} from '../../src/status/wanted.ts'
import { Stage, silent } from './component-stage.ts'

const page: Target = { name: 'default', page: 'a page', isAlert: false }
const alert: Target = { name: 'mail', page: 'mail', isAlert: true }
const base = new Stage()
const rules: Rules = { ...base.rules, targets: [page, alert] }
const shows = (target: Target, publishedStatus: Status | null, more: Partial<Publication> = {}): Publication => ({
  ...newPublication(target, 0),
  publishedStatus,
  ...more,
})
const component = (status: Status, more: Partial<Component> = {}): Component => ({
  ...base.component,
  lastReportedStatus: status,
  changedAt: 5,
  upAt: 7,
  downAt: 3,
  publications: [shows(page, 'operational'), shows(alert, 'operational')],
  ...more,
})
const incident = silent().component.incident ?? assert.fail()

describe('The status of a component', () => {
  it('is announced maintenance first, then an open incident, then the last report', () => {
    for (const status of statuses) {
      assert.equal(statusOf(component(status)), status)
      assert.equal(statusOf(component(status, { incident })), 'outage')
      assert.equal(statusOf(component(status, { incident, maintenanceId: 'w' })), 'maintenance')
    }
  })
})

describe('What a status page should show', () => {
  const common = { componentId: 'db', source: 'heartbeat', reportedAt: 5, incidentId: null }

  it('is the last report with its message, or the exit code that came with it', () => {
    for (const [message, exitCode, said] of [
      [null, null, null],
      ['slow', null, 'slow'],
      ['slow', 0, 'slow'],
      ['slow', 3, 'exit code 3: slow'],
      [null, 3, 'exit code 3'],
      ['', 3, 'exit code 3: '],
    ] as const)
      assert.deepEqual(wantedOf(component('degraded', { message, exitCode }), rules), {
        ...common,
        status: 'degraded',
        message: said,
      })
  })

  it('is an outage by silence, unless silence is not published', () => {
    const quiet = component('operational', { incident, message: 'fine' })
    assert.deepEqual(wantedOf(quiet, rules), {
      ...common,
      status: 'outage',
      source: 'silence',
      incidentId: incident.id,
      reportedAt: incident.startedAt,
      message: incident.message,
    })
    const unpublished = { ...common, status: 'operational', incidentId: incident.id, message: 'fine' }
    assert.deepEqual(wantedOf(quiet, { ...rules, publishesSilence: false }), unpublished)
  })

  it('is maintenance while it is announced, and what a retired component is retired as, without the message', () => {
    const retired = { retiredAs: 'operational' as const, message: 'broken' }
    for (const more of [{}, { incident }, { maintenanceId: 'w' }, { incident, maintenanceId: 'w' }]) {
      const wanted = wantedOf(component('outage', { ...more, ...retired }), rules)
      assert.deepEqual([wanted.status, wanted.source, wanted.message], ['operational', 'heartbeat', null])
    }
    for (const more of [{}, { incident }]) {
      const wanted = wantedOf(component('outage', { ...more, maintenanceId: 'w', message: 'broken' }), rules)
      assert.deepEqual([wanted.status, wanted.source, wanted.message], ['maintenance', 'heartbeat', null])
    }
    assert.equal(wantedOf(component('outage', { ...retired, retiredAs: 'outage' }), rules).message, 'broken')
  })
})

describe('What an alert channel gets', () => {
  const mute = { until: 9, by: 'an owl' }

  it('is outages and recoveries, and nothing of maintenance or of a muted component', () => {
    const gets = (status: Status, more: Partial<Component> = {}) =>
      wantedAt(alert, component(status, more), rules)?.status
    assert.deepEqual(
      statuses.map((status) => gets(status)),
      ['operational', 'operational', 'partial', 'outage', undefined],
    )
    for (const status of statuses) {
      assert.equal(gets(status, { mute }), undefined)
      assert.equal(wantedAt(page, component(status, { mute }), rules)?.status, status)
    }
  })

  it('keeps the report and the beginning of an outage if silence follows, unlike a page', () => {
    const more = { incident, message: 'broken', exitCode: 5 }
    for (const status of ['outage', 'partial'] as const) {
      const down = component(status, more)
      assert.deepEqual(wantedAt(alert, down, rules), {
        componentId: 'db',
        status: 'outage',
        source: 'heartbeat',
        reportedAt: 3,
        incidentId: incident.id,
        message: 'exit code 5: broken',
        silentSince: incident.startedAt,
      })
      assert.deepEqual(wantedAt(page, down, rules), wantedOf(down, rules))
      assert.equal(wantedOf(down, rules).reportedAt, incident.startedAt)
    }
    assert.deepEqual(wantedAt(alert, component('degraded', more), rules), wantedOf(component('degraded', more), rules))
  })

  it('names the outage when it is over: for an alert always, for a page that showed it', () => {
    const told = (target: Target, status: Status, was: Status | null) => {
      const wanted = { ...wantedOf(component(status), rules), status }
      const { reportedAt, downSince = null } = toldOf(target, wanted, component(status), shows(target, was))
      return [reportedAt, downSince]
    }
    assert.deepEqual(told(alert, 'operational', 'outage'), [7, 3])
    assert.deepEqual(told(alert, 'outage', 'operational'), [5, null])
    assert.deepEqual(told(page, 'operational', 'partial'), [5, 3])
    assert.deepEqual(told(page, 'operational', 'outage'), [5, 3])
    for (const was of ['operational', 'degraded', 'maintenance', null] as const)
      assert.deepEqual(told(page, 'operational', was), [5, null])
    for (const status of ['degraded', 'maintenance', 'partial', 'outage'] as const)
      assert.deepEqual(told(page, status, 'outage'), [5, null])
  })

  it('is nothing of a retired component', () => {
    assert.deepEqual(targetsOf(component('outage'), rules), [page, alert])
    assert.deepEqual(targetsOf(component('outage', { retiredAs: 'operational' }), rules), [page])
  })
})

describe('A target', () => {
  it('is outdated unless it is known to show what it should', () => {
    const of = (publications: readonly Publication[], status: Status = 'outage') => component(status, { publications })
    assert.equal(isOutdatedAt(page, of([shows(page, 'outage')]), rules), false)
    assert.equal(isOutdatedAt(page, of([shows(page, 'operational')]), rules), true)
    assert.equal(isOutdatedAt(page, of([shows(alert, 'operational')]), rules), false)
    assert.equal(isOutdatedAt(alert, of([shows(alert, 'outage')], 'maintenance'), rules), false)
    assert.equal(isUnpublished(of([shows(page, 'outage'), shows(alert, 'outage')]), rules), false)
    for (const [atPage, atAlert] of [
      ['outage', 'operational'],
      ['operational', 'outage'],
      ['operational', 'operational'],
    ] as const)
      assert.equal(isUnpublished(of([shows(page, atPage), shows(alert, atAlert)]), rules), true)
    const publications = [shows(page, 'outage'), shows(alert, 'operational')]
    assert.equal(isUnpublished(component('outage', { publications, retiredAs: 'outage' }), rules), false)
    assert.equal(publicationOf(component('outage', { publications }), 'mail'), publications[1])
    assert.equal(publicationOf(component('outage', { publications }), 'chat'), undefined)
  })

  it('is retried once its wait is over, if it is still outdated and has the component', () => {
    const now: Moment = { wall: 0, monotonic: 100 }
    const failedAt = (at: number): Partial<Publication> => {
      const wait = { failures: 1, failedAt: { wall: 0, monotonic: at }, waitMs: 10, heartbeatWaitMs: 0 }
      const notice = { ...wantedOf(component('outage'), rules), previousStatus: null, sequence: 1 }
      return { push: { kind: 'waiting', notice, ...wait } }
    }
    const retries = (publications: readonly Publication[], more: Partial<Component> = {}) =>
      retriesOf(component('outage', { publications, ...more }), now, rules)
    const due = [shows(page, 'operational', failedAt(90)), shows(alert, 'operational', failedAt(90))]
    assert.deepEqual(retries(due), ['default', 'mail'])
    assert.deepEqual(retries(due, { retiredAs: 'outage' }), ['default'])
    assert.deepEqual(retries([shows(page, 'operational', failedAt(91)), ...due.slice(1)]), ['mail'])
    assert.deepEqual(retries([shows(page, 'outage', failedAt(90)), ...due.slice(1)]), ['mail'])
    assert.deepEqual(retries([shows(page, 'operational'), shows(alert, 'operational')]), [])
    assert.deepEqual(retries([shows({ ...page, name: 'gone' }, 'operational', failedAt(90))]), [])
  })
})
