import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folded, printCalendar } from '../../../src/api/status-page/calendar.ts'
import { viewOf } from '../../../src/api/status-page/view.ts'
import { openWorker } from '../../status/worker-stage.ts'
import { fakeClock } from '../../support/clock.ts'
import { startService } from '../../support/service.ts'
import { hostile, summaryComponent, summaryOf } from './stage.ts'

const unfolded = (text: string) => text.replaceAll('\r\n ', '')
const valuesOf = (text: string, name: string) =>
  unfolded(text)
    .split('\r\n')
    .flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1)] : []))

describe('The iCalendar file', () => {
  it('escapes and folds its texts as RFC 5545 says, and divides no character', () => {
    const text = `Discs; old, new \\ here\r\nand\u0001 there\nBEGIN:VEVENT ${hostile} ${'🦊é'.repeat(60)}`
    const summary = summaryOf([summaryComponent('api')])
    const [window] = summary.maintenance
    const named = [{ id: 'api', label: 'A;B, C\\D', group: null }]
    const view = viewOf(named, {
      ...summary,
      maintenance: [{ ...window, text } as (typeof summary.maintenance)[number]],
    })
    const printed = printCalendar(view, 'https://zoo.example', 'Zoo; one, two')
    assert.match(printed, /^(?:[^\r\n]+\r\n)+$/)
    for (const line of printed.split('\r\n')) {
      assert.ok(Buffer.byteLength(line) <= 75, line)
      assert.ok(line.isWellFormed() && !line.includes('\ufffd\ufffd'), line)
    }
    assert.deepEqual(valuesOf(printed, 'SUMMARY'), ['Maintenance of A\\;B\\, C\\\\D'])
    assert.deepEqual(valuesOf(printed, 'DESCRIPTION'), [
      text
        .replaceAll('\\', '\\\\')
        .replaceAll(/[;,]/g, '\\$&')
        .replace('\r\n', '\\n')
        .replace('\n', '\\n')
        .replace('\u0001', '\ufffd'),
    ])
    assert.deepEqual(valuesOf(printed, 'BEGIN'), ['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'VEVENT'])
    assert.equal(folded('x'.repeat(75)), 'x'.repeat(75))
    assert.equal(folded('x'.repeat(76)), `${'x'.repeat(75)}\r\n x`)
    assert.equal(folded(`${'x'.repeat(74)}é`), `${'x'.repeat(74)}\r\n é`)
  })

  it('has an event for each window on /status, whose UID stays and whose SEQUENCE rises, until it is cancelled', async () => {
    const worker = await openWorker()
    for (const id of ['api', 'hidden-one']) await worker.beat(id)
    const after = (ms: number) => new Date(Date.now() + ms).toISOString()
    const terms = { components: ['api', 'hidden-one'], from: after(60_000), until: after(120_000), text: 'New disks' }
    const { id } = (await worker.ask('POST', '/maintenance', terms)).body.maintenance
    await worker.ask('POST', '/maintenance', { components: ['hidden-one'], until: after(60_000), text: 'secret' })
    const clock = fakeClock(Date.now())
    const env = {
      STATUS_WORKER_URL: worker.url,
      STATUS_PAGE_COMPONENTS: 'api=Website',
      BASE_URL: 'https://zoo.example',
    }
    const service = await startService({ env, overrides: { clock } })
    const subscribe = async () => {
      clock.advance(10_000)
      return service.request('GET', '/status/maintenance.ics')
    }
    const first = await subscribe()
    assert.equal(first.headers.get('content-type'), 'text/calendar; charset=utf-8')
    assert.doesNotMatch(first.text, /hidden-one|secret/)
    const seconds = (iso: string) => iso.replace(/\.\d+|[-:]/g, '')
    const shown = ['UID', 'SEQUENCE', 'DTSTART', 'DTEND', 'SUMMARY', 'DESCRIPTION', 'URL'].map((name) =>
      valuesOf(first.text, name).filter((value) => value !== '19700101T000000'),
    )
    assert.deepEqual(shown, [
      ...[[id], ['0'], [seconds(terms.from)], [seconds(terms.until)], ['Maintenance of Website']],
      ...[['New disks'], ['https://zoo.example/status']],
    ])
    assert.equal((await subscribe()).headers.get('etag'), first.headers.get('etag'), 'nothing has changed')
    const until = after(180_000)
    await worker.ask('PUT', `/maintenance/${id}`, { until })
    const { text } = await subscribe()
    assert.deepEqual(
      ['UID', 'SEQUENCE', 'DTEND'].map((name) => valuesOf(text, name)),
      [[id], ['1'], [seconds(until)]],
    )
    assert.ok((valuesOf(text, 'LAST-MODIFIED')[0] ?? '') >= (valuesOf(first.text, 'LAST-MODIFIED')[0] ?? ''))
    await worker.ask('DELETE', `/maintenance/${id}`)
    assert.deepEqual(valuesOf((await subscribe()).text, 'BEGIN'), ['VCALENDAR', 'VTIMEZONE', 'STANDARD'])
    await worker.close()
    assert.equal((await subscribe()).status, 503, 'an empty calendar would delete the entries of its subscribers')
    await service.close()
  })
})
