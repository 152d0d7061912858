import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createMetrics, Histogram } from '../../src/lib/metrics.ts'
import { createOperations } from '../../src/lib/operations.ts'
import { addProcessMetrics, watchEventLoop } from '../../src/process/process-metrics.ts'
import { fakeClock } from '../support/clock.ts'
import { parseExposition, valueIn } from '../support/exposition.ts'
import { assertProperty } from '../support/seed.ts'

describe('Metrics', () => {
  it('are rendered byte for byte in the exposition format', () => {
    const metrics = createMetrics()
    assert.equal(metrics.render(), '')
    const requests = metrics.counter('requests_total', 'Requests.', ['method', 'code'])
    requests('GET', '200').add()
    requests('GET', '200').add(2)
    requests('POST', '201').add()
    metrics.read('depth', 'How deep.', () => -1.5)
    const took = metrics.histogram('took_seconds', 'How long.', [0.1, 1], ['route'])('/')
    for (const seconds of [0.1, 0.5, 7]) took.observe(seconds)
    metrics.histogram('nothing_seconds', 'Never.', [1])
    metrics.read('age_seconds', 'Of it.', () => Number.NaN)
    metrics.read('refused_total', 'By scope.', () => [[{ scope: 'a' }, Infinity] as const])
    assert.equal(
      metrics.render(),
      `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{method="GET",code="200"} 3
requests_total{method="POST",code="201"} 1
# HELP depth How deep.
# TYPE depth gauge
depth -1.5
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{route="/",le="0.1"} 1
took_seconds_bucket{route="/",le="1"} 2
took_seconds_bucket{route="/",le="+Inf"} 3
took_seconds_sum{route="/"} 7.6
took_seconds_count{route="/"} 3
# HELP nothing_seconds Never.
# TYPE nothing_seconds histogram
# HELP age_seconds Of it.
# TYPE age_seconds gauge
age_seconds NaN
# HELP refused_total By scope.
# TYPE refused_total counter
refused_total{scope="a"} +Inf
`,
    )
  })

  it('accept any text as a label value or help text', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', '{', '}', ',', '=', ' ', 'a', 'ü', '🦊') })
    assertProperty(
      fc.property(fc.uniqueArray(fc.tuple(hostile, hostile), { selector: String }), hostile, (all, help) => {
        const metrics = createMetrics()
        const family = metrics.counter('odd_total', `H${help}`, ['one', 'other'])
        for (const [index, [one, other]] of all.entries()) family(one, other).add(index)
        const found = parseExposition(metrics.render())
        assert.equal(found.get('odd_total')?.help, `H${help}`)
        for (const [one, other] of all)
          assert.equal(valueIn(found, 'odd_total', { one, other }), family(one, other).value)
        assert.equal(found.get('odd_total')?.samples.length, new Set(all.map((pair) => JSON.stringify(pair))).size)
      }),
    )
  })

  it('return the same handle for the same labels, whatever their values', () => {
    const family = createMetrics().counter('same_total', 'x', ['one', 'other'])
    assert.equal(family('a', 'b'), family('a', 'b'))
    assert.notEqual(family('a","b', ''), family('a', 'b'))
    assert.notEqual(family('a', 'b'), family('b', 'a'))
  })

  it('with an invalid definition throw on creation', () => {
    const metrics = createMetrics()
    assert.throws(() => metrics.counter('requests', 'x'), /_total/)
    assert.throws(() => metrics.histogram('took_total', 'x', [1]), /_total/)
    assert.throws(() => metrics.read('a-b', 'x', () => 0), /not a valid metric name/)
    assert.throws(() => metrics.histogram('took', 'x', [1, 1]), /ascend/)
    assert.throws(() => metrics.histogram('took', 'x', [1, Infinity]), /ascend/)
    const family = metrics.counter('one_total', 'x', ['label'])
    assert.throws(() => metrics.counter('one_total', 'x'), /duplicate metric/)
    assert.throws(() => family(), /label/)
  })

  it('omit a part that cannot be read, and report the others', () => {
    const metrics = createMetrics()
    metrics.read('broken', 'x', () => {
      throw new Error('gone')
    })
    metrics.read('whole', 'x', () => 1)
    const found = parseExposition(metrics.render())
    assert.deepEqual(found.get('broken')?.samples, [])
    assert.equal(valueIn(found, 'whole'), 1)
  })
})

describe('A histogram', () => {
  it('counts each value in every bucket that it fits, and sums up', () => {
    const finite = fc.double({ noNaN: true, min: -1e6, max: 1e6 })
    const ascending = fc
      .uniqueArray(finite, { minLength: 1, maxLength: 20, comparator: (one, other) => one === other })
      .map((bounds) => bounds.sort((one, other) => one - other))
    assertProperty(
      fc.property(ascending, fc.array(finite), (bounds, others) => {
        // A value equal to a bound belongs to its bucket.
        const values = [...others, ...bounds]
        const histogram = new Histogram(bounds)
        for (const value of values) histogram.observe(value)
        const { buckets, sum } = histogram.read()
        assert.deepEqual(
          buckets,
          [...bounds, Infinity].map((bound) => [bound, values.filter((value) => value <= bound).length]),
        )
        assert.equal(
          sum,
          values.reduce((total, value) => total + value, 0),
        )
      }),
    )
  })
})

describe('Operations', () => {
  const make = () => {
    const [metrics, clock] = [createMetrics(), fakeClock()]
    const of = createOperations(metrics, {
      clock,
      duration: { name: 'took_seconds', help: 'x' },
      errors: { name: 'errors_total', help: 'x' },
      isFailure: (error) => error !== 'expected',
    })
    const told = () => {
      const found = parseExposition(metrics.render())
      const operation = 'act'
      return [
        valueIn(found, 'took_seconds_count', { operation }),
        valueIn(found, 'took_seconds_sum', { operation }),
        valueIn(found, 'errors_total', { operation }),
      ]
    }
    return { act: of('act'), clock, told }
  }

  it('return their result, timed from the call on', async () => {
    const { act, clock, told } = make()
    const { promise, resolve } = Promise.withResolvers<string>()
    const outcome = act.run(() => promise)
    assert.equal(outcome, promise)
    clock.advance(1_500)
    resolve('found')
    assert.equal(await outcome, 'found')
    assert.deepEqual(told(), [1, 1.5, 0])
  })

  it('count thrown and rejected errors, but not expected or unawaited ones', async () => {
    const { act, told } = make()
    await assert.rejects(
      act.run(() => Promise.reject(new Error('lost'))),
      /lost/,
    )
    assert.throws(() => act.attempt(() => assert.fail('thrown')), /thrown/)
    assert.throws(() => act.run(() => assert.fail('thrown')), /thrown/)
    await act.run(() => Promise.reject('expected')).catch(() => {})
    await act.run(() => Promise.reject('gone'), { aborted: true }).catch(() => {})
    assert.deepEqual(told(), [3, 0, 3])
    assert.equal(
      act.attempt(() => 7),
      7,
    )
    assert.deepEqual(told(), [3, 0, 3])
  })
})

describe('Process metrics', () => {
  it('have the conventional names', () => {
    const metrics = createMetrics()
    addProcessMetrics(metrics)
    const found = parseExposition(metrics.render())
    for (const { samples } of found.values()) assert.ok((samples[0]?.value ?? 0) > 0)
    assert.ok(found.has('process_cpu_seconds_total') && found.has('nodejs_heap_size_used_bytes'))
  })

  it('measure the event loop delay until stopped', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const [metrics, clock] = [createMetrics(), fakeClock()]
    const stop = watchEventLoop(metrics, clock)
    for (const late of [0, 30, 0]) {
      clock.advance(100 + late)
      t.mock.timers.tick(100)
    }
    stop()
    clock.advance(10_000)
    t.mock.timers.tick(10_000)
    const found = parseExposition(metrics.render())
    const bucket = (le: string) => valueIn(found, 'menagerie_event_loop_delay_seconds_bucket', { le })
    assert.deepEqual([bucket('0.001'), bucket('0.025'), bucket('0.05'), bucket('+Inf')], [2, 2, 3, 3])
  })
})
