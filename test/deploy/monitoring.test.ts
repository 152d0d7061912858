import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { openWorker, type TestWorker } from '../status/worker-stage.ts'
import { atEnd } from '../support/at-end.ts'
import { parseExposition } from '../support/exposition.ts'
import { freePort } from '../support/free-port.ts'
import { startService, type TestService } from '../support/service.ts'
import { spawn } from '../support/spawn.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { missingOrSlow, read, root } from './tools.ts'

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

const alerts = read('docs/alerts.yml')
const panels: readonly Panel[] = JSON.parse(read('docs/dashboard.json')).panels
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

const namesIn = (text: string) =>
  new Set([...text.matchAll(/\b(?:menagerie|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')))

describe('The dashboard and the alerts', () => {
  let service: TestService
  let worker: TestWorker
  before(async () => {
    worker = await openWorker()
    service = await startService({ env: { STATUS_WORKER_URL: worker.url } })
  })

  it('name every metric that the programs export, and no other', async () => {
    const [api, status] = [await service.request('GET', '/metrics'), await worker.ask('GET', '/metrics')]
    const found = [...parseExposition(api.text).keys(), ...parseExposition(status.text).keys()]
    assert.deepEqual([...namesIn(alerts + expressions.join(' '))].sort(), [...new Set(found)].sort())
  })

  it('are explained in docs/operate.md, alert by alert', () => {
    const rules = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const explained = [...read('docs/operate.md').matchAll(/^\| `([A-Z]\w+)` \|[^|]+\|[^|]+\|$/gm)].map(
      ([, name]) => name,
    )
    assert.deepEqual(explained.filter((name) => /[a-z]/.test(name ?? '')).sort(), rules.sort())
  })

  it('fire for the fault that each is for, and for none otherwise', { skip: missingOrSlow('promtool') }, () => {
    const tested = execFileSync('promtool', ['test', 'rules', join(root, 'test/deploy/alerts.promtool.yml')])
    assert.match(String(tested), /SUCCESS/)
  })

  it('are understood by a Prometheus that scrapes both programs', {
    skip: missingOrSlow('prometheus'),
  }, async () => {
    const folder = testFolder()
    const port = await freePort()
    const places = read('docs/prometheus.yml')
      .replace('127.0.0.1:3000', `127.0.0.1:${service.port}`)
      .replace('127.0.0.1:3001', `127.0.0.1:${worker.port}`)
      .replaceAll('15s', '1s')
    writeFileSync(join(folder, 'prometheus.yml'), places)
    cpSync(join(root, 'docs/alerts.yml'), join(folder, 'alerts.yml'))
    const files = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`]
    const options = [...files, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
    const prometheus = spawn('prometheus', options, { stdio: ['ignore', 'inherit', 'inherit'] })
    atEnd(async () => {
      if (prometheus.exitCode === null && prometheus.kill('SIGTERM')) await once(prometheus, 'exit')
    })
    const ask = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
      const { status, data, error } = (await reply.json()) as any
      assert.equal(status, 'success', `${path}: ${error}`)
      return data
    }
    const query = async (expr: string) => (await ask(`query?query=${encodeURIComponent(expr)}`)).result
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(ready, 'Prometheus is ready')
    await worker.beat('backup')
    const scrapes = 'min(count_over_time(up{job=~"menagerie-.*"}[1m]))'
    await until(async () => Number((await query(scrapes))[0]?.value[1]) >= 3, 'three scrapes')

    const up = await query('up{job=~"menagerie-.*"} == 1')
    assert.equal(up.length, 2)
    // There is no series for what did not happen here.
    const isOfOthers =
      /errors_total|refused_total|_failed_total|cache_hits|5\.\.|_repeats_|_pushes_|_pings_|store_operation/
    for (const expr of expressions) {
      const plain = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
      const result = await query(plain)
      assert.ok(result.length > 0 || isOfOthers.test(expr), `nothing for ${plain}`)
    }
    await until(async () => {
      const groups: { rules: { health: string; name: string }[] }[] = (await ask('rules')).groups
      const rules = groups.flatMap((group) => group.rules)
      assert.deepEqual(
        rules.filter(({ health }) => health === 'err'),
        [],
      )
      return rules.every(({ health }) => health === 'ok')
    }, 'every rule is evaluated')
  })
})
