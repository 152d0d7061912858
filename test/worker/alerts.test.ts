import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openWorker } from '../status/worker-stage.ts'
import { parseExposition } from '../support/exposition.ts'
import { describeInFull, itInFull } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'

const rules = join(import.meta.dirname, '../../docs/alerts.yml')
const isHere = spawnSync('promtool', ['--version']).error === undefined
if (!isHere && process.env.CI) throw new Error('promtool is not installed, and in CI its tests may not be skipped')

const promtool = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' })

describe('GET /metrics of the status worker', () => {
  it('names the status, the last heartbeat and the deadline of each component', async () => {
    const worker = await openWorker({ env: { STATUS_TIMEOUTS: 'api=1h+30m' } })
    await worker.beat('api', 'degraded')
    await worker.beat('db')
    const metrics = parseExposition((await worker.ask('GET', '/metrics')).text)
    const of = (name: string) => metrics.get(`menagerie_status_component${name}`)?.samples ?? []
    assert.deepEqual(
      of('').map(({ labels, value }) => [labels, value]),
      [
        [{ component: 'api', status: 'degraded' }, 1],
        [{ component: 'db', status: 'operational' }, 1],
      ],
    )
    const heardAt = Date.parse((await worker.component('api')).lastHeartbeatAt) / 1000
    assert.equal(of('_last_heartbeat_seconds')[0]?.value, heardAt)
    assert.ok(Math.abs((of('_deadline_seconds')[0]?.value ?? 0) - heardAt - 5_400) < 1)
    assert.equal(of('_deadline_seconds').length, 2)
    await worker.close()
  })

  itInFull('is valid for Prometheus', { skip: !isHere && 'promtool is not installed' }, async () => {
    const worker = await openWorker()
    await worker.beat('api')
    const { text } = await worker.ask('GET', '/metrics')
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    await worker.close()
  })
})

describeInFull('docs/alerts.yml', { skip: !isHere && 'promtool is not installed' }, () => {
  it('is valid, and its alerts name the component', () => {
    assert.match(promtool('check', 'rules', rules), /SUCCESS: 19 rules found/)
    const folder = testFolder()
    const file = join(folder, 'test.yml')
    const labels = 'instance="worker:3001"'
    const series = (name: string, values: string) => `      - { series: '${name}', values: '${values}' }`
    writeFileSync(
      file,
      `rule_files: [${rules}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
${[
  series(`menagerie_status_component{${labels},component="db",status="outage"}`, '1x20'),
  series(`menagerie_status_component{${labels},component="api",status="degraded"}`, '1x20'),
  series(`menagerie_status_component{${labels},component="web",status="operational"}`, '1x20'),
  series(`menagerie_status_component_deadline_seconds{${labels},component="db"}`, '60x20'),
  series(`menagerie_status_component_deadline_seconds{${labels},component="web"}`, '9000x20'),
  series(`menagerie_status_save_failing{${labels}}`, '1x20'),
  series(`menagerie_status_unpublished{${labels}}`, '2x20'),
].join('\n')}
    alert_rule_test:
${[
  [
    'ComponentDown',
    'critical',
    'component: db, status: outage',
    'db is down (outage)',
    'db reports outage or sends no heartbeats.',
  ],
  ['ComponentDegraded', 'warning', 'component: api', 'api is degraded', 'api has reported degraded for 10 minutes.'],
  [
    'StatusWorkerNotWorking',
    'critical',
    "instance: 'worker:3001'",
    'The status worker worker:3001 cannot save its state',
    'Heartbeats are refused with 503. Check the disk or the database.',
  ],
  [
    'StatusNotPublished',
    'warning',
    "instance: 'worker:3001'",
    '2 components are not up to date on a status page',
    'GET /components shows which pushes failed, and why.',
  ],
]
  .map(
    ([alert, severity, more, summary, description]) => `      - eval_time: 15m
        alertname: ${alert}
        exp_alerts:
          - exp_labels: { severity: ${severity}, ${more} }
            exp_annotations: { summary: '${summary}', description: '${description}' }`,
  )
  .join('\n')}
      - eval_time: 15m
        alertname: StatusWorkerAbsent
        exp_alerts:
          - exp_labels: { severity: critical }
            exp_annotations: { summary: 'No status worker leads', description: 'No status worker has been the leader for 2 minutes: heartbeats are refused.' }
`,
    )
    assert.match(promtool('test', 'rules', file), /SUCCESS/)
  })

  it('page once per silence, across a restart of the worker and another one that leads', () => {
    const file = join(testFolder(), 'test.yml')
    // The silence lasts from 5 to 25 min; the first worker is away from 10 to 12, and another one leads from 18 on.
    const series = (instance: string, status: string, values: string) =>
      `      - { series: 'menagerie_status_component{instance="${instance}",component="db",status="${status}"}', values: '${values}' }`
    const deadline = (instance: string, values: string) =>
      `      - { series: 'menagerie_status_component_deadline_seconds{instance="${instance}",component="db"}', values: '${values}' }`
    const firing = (minute: number, count: number) => `      - expr: count(ALERTS{alertstate="firing",component="db"})
        eval_time: ${minute}m
        exp_samples: [${count === 0 ? '' : `{ labels: '{}', value: ${count} }`}]`
    writeFileSync(
      file,
      `rule_files: [${rules}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
${[
  series('a:3001', 'operational', '1x4 stale'),
  series('a:3001', 'outage', '_x5 1x4 stale _x2 1x4 stale'),
  deadline('a:3001', '300x9 stale _x2 840x4 stale'),
  series('b:3001', 'outage', '_x18 1x6 stale'),
  series('b:3001', 'operational', '_x25 1x20'),
  deadline('b:3001', '_x18 1200x6 9000x20'),
  // Nothing else is wrong.
  `      - { series: 'menagerie_status_active{instance="a:3001"}', values: '1x60' }`,
].join('\n')}
    promql_expr_test:
${Array.from({ length: 24 }, (_, index) => firing(7 + index, index < 23 ? 1 : 0)).join('\n')}
      - expr: count(changes(ALERTS{alertstate="firing",component="db"}[40m])) + sum(changes(ALERTS{alertstate="firing",component="db"}[40m]))
        eval_time: 29m
        exp_samples: [{ labels: '{}', value: 1 }]
`,
    )
    assert.match(promtool('test', 'rules', file), /SUCCESS/)
  })
})
