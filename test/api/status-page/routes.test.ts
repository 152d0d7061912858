import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createStatusReader } from '../../../src/api/status-page/reader.ts'
import { openWorker } from '../../status/worker-stage.ts'
import { fakeClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Reply } from '../../support/send.ts'
import { startService } from '../../support/service.ts'
import { json, StatusServer } from '../../support/status-servers.ts'
import { until } from '../../support/until.ts'
import { hostile, noon, summaryComponent, summaryOf } from './stage.ts'

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const names = 'api=Website/Frontend, db=Database/Storage'
const paths = [
  ...['/status', '/status.json', '/status.atom', '/status/badge/api.svg', '/status/badge/db.svg?days=30'],
  '/status/badge/api.json',
]

describe('/status', () => {
  it('asks the worker once in 10 s, however many visitors there are, and says since when it cannot be reached', async () => {
    const found = summaryOf([summaryComponent('api'), summaryComponent('db', 'degraded')])
    const worker = await StatusServer.open(() => json(200, found))
    const clock = fakeClock()
    const service = await startService({
      env: { STATUS_WORKER_URL: worker.url, STATUS_PAGE_COMPONENTS: names },
      overrides: { clock },
    })
    const reads = () =>
      worker.asked.filter(({ path }) => path === '/summary').map(({ query }) => query.get('componentId'))
    const visit = () => Promise.all([...paths, ...paths].map((path) => service.request('GET', path)))
    const first = await visit()
    assert.deepEqual([...new Set(first.map(({ status }) => status))], [200])
    clock.advance(9_999)
    const again = await service.request('GET', '/status', {
      headers: { 'if-none-match': first[0]?.headers.get('etag') ?? '' },
    })
    assert.deepEqual([again.status, reads()], [304, ['api,db']])
    clock.advance(1)
    await visit()
    assert.equal(reads().length, 2)
    assert.equal((await service.request('GET', '/status.json')).body.state, 'degraded')
    for (const reply of [
      json(503, { ok: false, error: 'Standing by' }),
      json(200, { ok: true }),
      json(200, { ...found, components: [{ componentId: 'api', status: 'fine' }] }),
      { status: 200, body: '<html>' },
      json(404, {}),
    ]) {
      worker.fault = { kind: 'reply', reply }
      clock.advance(10_000)
      const [page, view, feed, badge, uptime] = await visit()
      assert.match(page?.text ?? '', /Status unknown since 2026-06-01 12:00 UTC/)
      assert.equal(view?.body.unknownSince, '2026-06-01T12:00:20.000Z')
      assert.match(feed?.text ?? '', /<title>Status unknown since/)
      for (const text of [page, view, badge, uptime].map((each) => each?.text ?? ''))
        assert.doesNotMatch(text, /operational|\d %/i)
    }
    worker.fault = null
    clock.advance(10_000)
    const back = (await service.request('GET', '/status.json')).body
    assert.deepEqual([back.state, back.unknownSince], ['degraded', null])
    await service.close()
  })

  it('says since when the worker is away, however late the first visitor comes', async () => {
    const clock = fakeClock()
    const env = { STATUS_WORKER_URL: 'http://127.0.0.1:1', STATUS_PAGE_COMPONENTS: names }
    const service = await startService({ env, overrides: { clock } })
    const look = async () => (await service.request('GET', '/ready')).body.checks.statusWorker
    await until(async () => (await look()) === 'degraded', 'the API has noticed')
    clock.advance(3_600_000)
    assert.equal((await service.request('GET', '/status.json')).body.unknownSince, noon)
    await service.close()
  })

  it('says since when the last outage of the worker lasts, if nobody came after the one before', async () => {
    const clock = fakeClock()
    let since = clock.now()
    const reader = createStatusReader({
      workers: ['http://127.0.0.1:1'],
      components: [],
      clock,
      awaySince: () => since,
    })
    assert.equal((await reader.view()).unknownSince, noon)
    clock.advance(86_400_000)
    since = clock.now()
    assert.equal((await reader.view()).unknownSince, '2026-06-02T12:00:00.000Z')
  })

  it('shows what a real worker knows about the components that are public, and about no other', async () => {
    const worker = await openWorker()
    await worker.beat('api')
    await worker.ask('POST', '/heartbeat/db', { status: 'outage', message: 'secret 192.0.2.7' })
    await worker.beat('hidden-one', 'partial')
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    await worker.ask('POST', '/announcements', { text: hostile })
    await worker.ask('POST', '/announcements', { text: 'a secret plan', from: at(60_000) })
    await worker.ask('POST', '/maintenance', {
      components: ['api', 'hidden-one'],
      from: at(60_000),
      until: at(120_000),
    })
    await worker.ask('POST', '/maintenance', { components: ['hidden-one'], until: at(120_000), text: 'a secret text' })
    const env = { STATUS_WORKER_URL: `http://127.0.0.1:1, ${worker.url}`, STATUS_PAGE_COMPONENTS: names }
    const service = await startService({ env })
    const { body } = await service.request('GET', '/status.json')
    assert.deepEqual(
      [body.state, body.unknownSince, body.components.map((each: Record<string, string>) => [each.id, each.state])],
      [
        'outage',
        null,
        [
          ['api', 'operational'],
          ['db', 'outage'],
        ],
      ],
    )
    assert.ok(body.components[1].since !== null)
    assert.deepEqual(body.incidents, [
      {
        id: `db-${body.components[1].since.replace(/\D/g, '')}`,
        component: 'db',
        status: 'outage',
        startedAt: body.components[1].since,
        detectedAt: body.components[1].since,
        resolvedAt: null,
        updates: [],
      },
    ])
    assert.deepEqual(
      body.announcements.map(({ text }: { text: string }) => text),
      [hostile],
    )
    assert.deepEqual(
      body.maintenance.map(({ components }: { components: string[] }) => components),
      [['api']],
    )
    for (const path of paths) {
      const { status, text, headers } = await service.request('GET', path)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /hidden-one|secret|192\.0\.2|127\.0\.0\.1:(?!\d+\/status)/, path)
      if (path !== '/status.json')
        assert.match(headers.get('content-security-policy') ?? '', /default-src '(none|self)'/)
    }
    const page = await service.request('GET', '/status')
    assert.match(
      page.text,
      /Open incidents.*<a href="status\/incidents\/db-\d{17}">Database<\/a><\/strong>: <span class="state is-outage">Outage</s,
    )
    assert.match((await service.request('GET', '/status.atom')).text, /<title>Database: Outage<\/title>/)
    const { text: script, headers } = await service.request('GET', '/status.js')
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'none'/)
    const hash = `sha256-${createHash('sha256').update(script).digest('base64')}`
    assert.ok(page.headers.get('content-security-policy')?.includes(`script-src '${hash}';`))
    assert.deepEqual(page.text.match(/<script.*/g), [`<script src="status.js" integrity="${hash}" defer></script>`])
    assert.doesNotMatch(page.text, /<img|style=|\son\w+="/)
    assert.deepEqual((await service.request('GET', '/status/badge/db.json')).body, {
      schemaVersion: 1,
      label: 'Database',
      message: 'outage',
      color: '#b3261e',
    })
    for (const name of ['hidden-one.svg', 'hidden-one.json', 'api', 'api.svg.svg', '.svg', '__proto__.svg', '%00.svg'])
      assert.equal((await service.request('GET', `/status/badge/${name}`)).body.message, 'Unknown badge', name)
    const refused = await service.request('GET', '/status/badge/api.svg?days=8')
    assert.deepEqual([refused.status, refused.body.message], [400, 'days must be one of 7, 30, 90'])
    assert.match((await service.request('GET', '/status.css')).text, /\.bars/)
    await service.close()
    await worker.close()
  })

  it('says that nothing is public if no component is named, and nothing about settings', async () => {
    const worker = await openWorker()
    const service = await startService({ env: { STATUS_WORKER_URL: worker.url } })
    const { text } = await service.request('GET', '/status')
    assert.match(text, /<p>No component is published here yet\.<\/p>/)
    assert.doesNotMatch(text, /STATUS_|<code>/)
    await worker.close()
    assert.deepEqual((await service.request('GET', '/status.json')).body.components, [])
    assert.match((await service.request('GET', '/docs')).text, /<a href="status">Status page<\/a>/)
    await service.close()
  })

  it('says the same, and not that a worker is away, if there is none', async () => {
    const service = await startService({})
    const { text } = await service.request('GET', '/status')
    assert.match(text, /<h1>No component is public<\/h1>\s*<p>No component is published here yet\.<\/p>/)
    assert.equal((await service.request('GET', '/status/incidents/none')).status, 404)
    const { state, unknownSince } = (await service.request('GET', '/status.json')).body
    assert.deepEqual([state, unknownSince], ['unknown', null])
    const { status, body } = await service.request('GET', '/api/v2/status.json')
    assert.deepEqual([status, body.status], [200, { indicator: 'none', description: 'No component is public' }])
    await service.close()
  })

  it('shows incidents that people write, with a page for each, and counts their levels', async () => {
    const worker = await openWorker()
    for (const id of ['api', 'db', 'hidden-one']) await worker.beat(id)
    const open = async (more: object) =>
      (
        await worker.ask('POST', '/incidents', {
          title: hostile.slice(0, 60),
          level: 'partial',
          text: hostile,
          ...more,
        })
      ).body.incident
    const opened = await open({ components: ['api', 'hidden-one'] })
    await open({ components: ['hidden-one'], title: 'a secret', text: 'a secret' })
    await worker.ask('POST', `/incidents/${opened.id}/updates`, { stage: 'identified', text: 'A disk\nhas failed' })
    const clock = fakeClock(Date.now())
    const env = { STATUS_WORKER_URL: worker.url, STATUS_PAGE_COMPONENTS: names }
    const service = await startService({ env, overrides: { clock } })
    const address = `/status/incidents/${opened.id}`
    const all = async () => {
      clock.advance(10_000)
      return Promise.all(
        ['/status', address, '/status/history', '/status.atom', '/status.json'].map((path) =>
          service.request('GET', path),
        ),
      )
    }
    const [page, own, history, feed, json] = await all()
    for (const { status, text } of [page, own, history, feed] as Reply[]) {
      assert.equal(status, 200)
      assert.doesNotMatch(text, /<img|<script>|hidden-one|secret|onerror="/)
      assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;/)
    }
    assert.match(page?.text ?? '', /<h1>Partial outage<\/h1>/)
    assert.match(
      page?.text ?? '',
      /Open incidents.*Identified.*A disk\nhas failed.*Affects|Affects: Website.*Identified/s,
    )
    assert.match(own?.text ?? '', /href="\.\.\/\.\.\/status\.css".*A disk\nhas failed.*Investigating.*&lt;img/s)
    assert.match(history?.text ?? '', /<h2>Incidents in \w+ \d{4}<\/h2>/)
    assert.match(feed?.text ?? '', new RegExp(`<link href="[^"]+${address}"/>`))
    const { components, writtenIncidents } = json?.body ?? {}
    assert.deepEqual(
      components.map(({ state }: { state: string }) => state),
      ['partial', 'operational'],
    )
    assert.deepEqual(
      [writtenIncidents.length, writtenIncidents[0].components, writtenIncidents[0].updates.length],
      [1, ['api'], 2],
    )
    const health = await worker.component('api')
    assert.deepEqual(
      [health.lastReportedStatus, health.activeIncidentId, health.publishedStatus],
      [...['operational', null, null]],
    )
    await worker.ask('POST', `/incidents/${opened.id}/updates`, { stage: 'resolved', text: 'It works again' })
    const idOf = (text = '') => /<id>([^<]+#[^<]+)<\/id>/.exec(text)?.[1]
    const updatedAt = (text = '') => /<entry>.*?<updated>([^<]+)/s.exec(text)?.[1] ?? ''
    const [after, , , later, view] = await all()
    assert.match(after?.text ?? '', /<h1>All systems operational<\/h1>.*Past incidents.*&lt;img/s)
    assert.equal(idOf(later?.text), idOf(feed?.text), 'the same entry')
    assert.ok(updatedAt(later?.text) > updatedAt(feed?.text), 'updated')
    assert.equal(view?.body.state, 'operational')
    const guesses = ['unknown', '__proto__', 'db-20260601120000000', '%00', 'x'.repeat(200)]
    for (const { status, body } of await Promise.all(
      guesses.map((id) => service.request('GET', `/status/incidents/${id}`)),
    ))
      assert.deepEqual([status, body.message], [404, 'Unknown incident'])
    const visited = (language: string) =>
      service.request('GET', '/status/incidents/unknown', {
        headers: { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': language },
      })
    const missing = await visited('de')
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    assert.match(missing.text, /<h1>Diese Störung ist nicht öffentlich.*href="..\/..\/status\/history"/s)
    await worker.close()
    clock.advance(10_000)
    const away = await service.request('GET', address)
    assert.deepEqual([away.status, away.body.message], [503, 'Status worker is unavailable'])
    const unknown = await visited('en')
    assert.deepEqual([unknown.status, /<h1>The state is unknown/.test(unknown.text)], [503, true])
    assert.equal((await service.request('GET', '/status/history')).status, 200)
    await service.close()
  })

  it('finds an incident that was opened a moment ago, and asks the worker for guesses at most once in a second', async () => {
    const found = summaryOf([summaryComponent('api')])
    const later = { ...found, written: found.written.map((each) => ({ ...each, id: 'opened-now' })) }
    let isOpened = false
    const worker = await StatusServer.open(() => json(200, isOpened ? later : found))
    const clock = fakeClock()
    const env = { STATUS_WORKER_URL: worker.url, STATUS_PAGE_COMPONENTS: 'api' }
    const service = await startService({ env, overrides: { clock } })
    const reads = () => worker.asked.filter(({ path }) => path === '/summary').length
    const visit = async (id: string) => (await service.request('GET', `/status/incidents/${id}`)).status
    assert.deepEqual([await visit('written-0'), reads()], [200, 1])
    isOpened = true
    assert.deepEqual([await visit('opened-now'), reads()], [200, 2])
    assert.deepEqual([await visit('opened-now'), reads()], [200, 2], 'known from then on')
    const began = performance.now()
    const guessed = await Promise.all(Array.from({ length: 20 }, (_, index) => visit(`guess-${index}`)))
    const maxReads = 2 + Math.ceil((performance.now() - began) / 1_000)
    assert.deepEqual([...new Set(guessed)], [404])
    assert.ok(reads() <= maxReads, `${reads()} reads`)
    await service.close()
  })

  it('has the title, link, color, description and logo of its operator, and the language of its visitor', async (t) => {
    const folder = temporaryFolder()
    t.after(folder.remove)
    const logo = join(folder.path, 'logo.png')
    writeFileSync(logo, png)
    const env = {
      STATUS_PAGE_COMPONENTS: names,
      STATUS_PAGE_TITLE: hostile.replace('\u202e', ''),
      STATUS_PAGE_LOGO: logo,
      STATUS_PAGE_LINK: 'https://zoo.example/?a="b"',
      STATUS_PAGE_COLOR: '#7A1FA2',
      STATUS_PAGE_DESCRIPTION: 'All "animals" & <more>',
    }
    env.STATUS_PAGE_TITLE = env.STATUS_PAGE_TITLE.slice(0, 60)
    const service = await startService({ env })
    const page = await service.request('GET', '/status')
    assert.match(page.text, /<header class="top is-branded">/)
    assert.match(
      page.text,
      /<a class="brand" href="https:\/\/zoo\.example\/\?a=&quot;b&quot;"><img src="status\/logo" alt="" height="28"><span>&lt;img/,
    )
    assert.match(page.text, /<meta name="description" content="All &quot;animals&quot; &amp; &lt;more&gt;">/)
    assert.match(page.text, /<p>All "animals" &amp; &lt;more&gt;<\/p>/)
    assert.match((await service.request('GET', '/status.css')).text, /:root {\n {2}--brand: #7a1fa2;\n}\n$/)
    assert.match((await service.request('GET', '/status.atom')).text, /<title>&lt;img src=x/)
    const image = await service.request('GET', '/status/logo')
    assert.equal(image.headers.get('content-type'), 'image/png')
    assert.deepEqual(Buffer.from(await (await fetch(`${service.url}/status/logo`)).arrayBuffer()), png)
    const again = await service.request('GET', '/status/logo', {
      headers: { 'if-none-match': image.headers.get('etag') ?? '' },
    })
    assert.equal(again.status, 304)
    const german = await service.request('GET', '/status', { headers: { 'accept-language': 'de-CH' } })
    assert.match(german.text, /<html lang="de">.*Status unbekannt seit/s)
    for (const { headers } of [page, german]) assert.equal(headers.get('vary'), 'Accept-Language, Accept-Encoding')
    assert.deepEqual(
      [page, german].map(({ headers }) => headers.get('content-language')),
      ['en', 'de'],
    )
    assert.notEqual(page.headers.get('etag'), german.headers.get('etag'))
    await service.close()

    const expected = 'STATUS_PAGE_LOGO: expected a PNG or WebP file of at most 256 KiB, got'
    for (const [spoil, got] of [
      [() => writeFileSync(logo, '<svg onload="alert(1)"/>'), 'a file of another format'],
      [() => truncateSync(logo, 262_145), '262145 bytes'],
    ] as const) {
      spoil()
      await assert.rejects(startService({ env }), { message: `${expected} ${got}: ${JSON.stringify(logo)}` })
    }
    for (const [path, got] of [
      [`${logo}.png`, 'ENOENT'],
      ['/dev/null/x.png', 'ENOTDIR'],
    ] as const)
      await assert.rejects(startService({ env: { STATUS_PAGE_LOGO: path } }), new RegExp(`${expected} ${got}`))
  })

  it('asks about 50 components at a time', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `c${index}`)
    const worker = await StatusServer.open(({ query }) =>
      json(200, summaryOf((query.get('componentId') ?? '').split(',').map((id) => summaryComponent(id)))),
    )
    const env = { STATUS_WORKER_URL: worker.url, STATUS_PAGE_COMPONENTS: ids.join(',') }
    const service = await startService({ env })
    const { body } = await service.request('GET', '/status.json')
    assert.deepEqual(
      body.components.map(({ id, state }: { id: string; state: string }) => [id, state]),
      ids.map((id) => [id, 'operational']),
    )
    const asked = worker.asked.filter(({ path }) => path === '/summary')
    assert.deepEqual(
      asked.map(({ query }) => query.get('componentId')?.split(',').length),
      [50, 50, 1],
    )
    await service.close()
  })

  it('is removed with STATUS_PAGE=off', async () => {
    const service = await startService({ env: { STATUS_PAGE: 'off' } })
    for (const path of [
      ...paths,
      '/api/v2/summary.json',
      '/api/v2/status.json',
      '/status.css',
      '/status.js',
      '/status/logo',
    ]) {
      const { status, body } = await service.request('GET', path)
      assert.deepEqual([status, body.message], [404, `Not Found - GET ${path.split('?')[0]}`])
    }
    assert.doesNotMatch((await service.request('GET', '/openapi.json')).text, /"\/status/)
    assert.doesNotMatch((await service.request('GET', '/docs')).text, /href="status"/)
    await service.close()
  })
})
