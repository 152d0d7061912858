import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker } from '../../status/worker-stage.ts'
import { discordWebhook } from '../../support/alert-channels.ts'
import { json, StatusServer } from '../../support/status-servers.ts'
import { anId, asked, stage, type Write, writes } from './stage.ts'

const names = Object.keys(writes()) as Write[]
const standingBy = [503, 'Standing by: this worker is not the leader'] as const
const notSaved = [503, 'State could not be saved, please try again'] as const

const badDuration =
  'durationSeconds must be a whole number from 60 to 604800, and no longer than the time between two runs of schedule'

/** The replies that the worker may give to each, as the contract has them. */
const refusals: Readonly<Record<Write, readonly (readonly [number, string])[]>> = {
  retire: [[404, 'Unknown component'], notSaved, standingBy],
  change: [[404, 'Unknown component'], notSaved, standingBy],
  announceMaintenance: [
    [400, 'until must be after from, in the future, and at most 31 days after from'],
    [429, 'Maintenance limit reached'],
    ...[notSaved, standingBy],
  ],
  changeMaintenance: [
    [400, 'until must be after from, in the future, and at most 31 days after from'],
    [404, 'Unknown maintenance'],
    [409, 'Maintenance is over'],
    ...[notSaved, standingBy],
  ],
  endMaintenance: [[404, 'Unknown maintenance'], [409, 'Maintenance is over'], notSaved, standingBy],
  announceRecurring: [[400, badDuration], [429, 'Maintenance limit reached'], notSaved, standingBy],
  endRecurring: [[404, 'Unknown maintenance'], [409, 'Maintenance is over'], notSaved, standingBy],
  announce: [
    [400, 'until must be after from, and in the future'],
    [429, 'Announcement limit reached'],
    ...[notSaved, standingBy],
  ],
  endAnnouncement: [[404, 'Unknown announcement'], [409, 'Announcement is over'], notSaved, standingBy],
  acknowledge: [
    [404, 'Unknown component'],
    [409, 'Component is not down'],
    [409, 'Outage is already acknowledged'],
    ...[notSaved, standingBy],
  ],
  mute: [[404, 'Unknown component'], notSaved, standingBy],
  unmute: [[404, 'Unknown component'], [409, 'Component is not muted'], notSaved, standingBy],
  openIncident: [
    [400, 'from must be at most 31 days ago, and not in the future'],
    [400, 'the first stage must be investigating, identified or monitoring'],
    [429, 'Incident limit reached'],
    ...[notSaved, standingBy],
  ],
  updateIncident: [
    [404, 'Unknown incident'],
    [409, 'level and components can only be changed for incidents opened by hand'],
    [409, 'A postmortem follows the end of the incident'],
    [409, 'Incident is resolved'],
    [409, 'Only a heartbeat resolves an incident by silence'],
    [429, 'Update limit reached'],
    ...[notSaved, standingBy],
  ],
  deleteIncident: [[404, 'Unknown incident'], notSaved, standingBy],
  test: [[404, 'Unknown target'], [429, 'Target was tested less than 10 s ago'], standingBy],
}

describe('A write to the status worker', () => {
  it('is done by the worker, for admin and owner, and audited before the reply', async () => {
    const shown = new Map<string, string>()
    const chat = await StatusServer.open(discordWebhook('SECRET0123', shown))
    const worker = await openWorker({
      env: {
        STATUS_TARGETS: 'chat',
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/SECRET0123`,
      },
    })
    await worker.beat('db')
    const { service, call, write, get, person, audited, keeper } = await stage([worker.url])
    const admin = await person('ada', 'admin')

    const { status, body } = await write('announceMaintenance')
    const { id, from, until } = body.maintenance
    assert.deepEqual([status, body.status, body.ok, body.maintenance.state], [201, 201, undefined, 'active'])
    assert.deepEqual((await get('/admin/status/maintenance?state=active')).maintenance, [body.maintenance])
    const known = async () => (await get('/admin/status/components')).components as Record<string, string>[]
    const found = async () => (await known()).find(({ componentId }) => componentId === 'db')
    assert.equal((await found())?.maintenanceId, id)
    const after = { components: 'db', from, until, text: null }
    assert.deepEqual(await audited('announce-maintenance', 1), [
      { outcome: 'success', actor: keeper, target: id, after },
    ])
    const [method, path] = writes(id).changeMaintenance
    const moved = await call([method, path, { text: 'New disks' }], admin)
    assert.deepEqual([moved.status, moved.body.maintenance], [200, { ...body.maintenance, text: 'New disks' }])
    assert.deepEqual((await get('/admin/status/maintenance?state=active')).maintenance, [moved.body.maintenance])
    assert.deepEqual(
      (await audited('change-maintenance', 1)).map(({ target, after }) => [target, after]),
      [[id, { ...after, text: 'New disks' }]],
    )
    const whole = {
      components: ['db', 'cache'],
      from: new Date(Date.parse(from) - 60_000).toISOString(),
      until: new Date(Date.parse(until) + 60_000).toISOString(),
      text: null,
    }
    const all = (await call([method, path, whole], admin)).body.maintenance
    assert.deepEqual(all, { ...body.maintenance, ...whole })
    assert.equal((await call([method, path, {}], admin)).status, 200)
    assert.deepEqual((await get('/admin/status/maintenance?state=active')).maintenance, [all])
    const ended = await call(writes(id).endMaintenance, admin)
    assert.deepEqual([ended.status, ended.body.maintenance.state], [200, 'over'])
    assert.equal((await audited('end-maintenance', 1))[0]?.target, id)
    const { recurring } = (await write('announceRecurring')).body
    assert.deepEqual((await get('/admin/status/maintenance/recurring')).recurring, [recurring])
    assert.deepEqual([recurring.windows.length, recurring.tz], [5, 'Europe/Berlin'])
    const stopped = await call(writes(recurring.id).endRecurring, admin)
    assert.deepEqual([stopped.status, stopped.body.recurring.windows], [200, []])
    const about = { components: 'db', schedule: '0 3 * * 0', tz: 'Europe/Berlin', durationSeconds: 7_200, text: null }
    assert.deepEqual(
      [...(await audited('announce-maintenance', 2)), ...(await audited('end-maintenance', 2))].flatMap(
        ({ target, after }) => (target === recurring.id ? [after] : []),
      ),
      [about, { ...about, endedAt: stopped.body.recurring.endedAt }],
    )

    const text = ' <img onerror=x> \u202e '
    const announced = await call(['POST', '/admin/status/announcements', { text }])
    assert.deepEqual([announced.status, announced.body.announcement.text], [201, text.trim()])
    assert.deepEqual((await get('/admin/status/announcements')).announcements, [announced.body.announcement])
    const gone = await call(writes(announced.body.announcement.id).endAnnouncement)
    assert.deepEqual([gone.status, gone.body.announcement.state], [200, 'over'])
    const again = await call(writes(announced.body.announcement.id).endAnnouncement)
    assert.deepEqual([again.status, again.body], [409, { status: 409, message: 'Announcement is over' }])
    const [refused, done] = await audited('end-announcement', 2)
    assert.deepEqual([refused?.outcome, refused?.target], ['refused: Announcement is over', done?.target])

    const opened = await write('openIncident')
    const { incident } = opened.body
    const by = { outcome: 'success', actor: keeper, target: incident.id }
    assert.deepEqual([opened.status, incident.byHand.title, incident.components], [201, 'Slow', []])
    const said = { title: 'Slow', level: 'degraded', components: '', stage: 'investigating', text: 'We look into it' }
    assert.deepEqual(await audited('open-incident', 1), [{ ...by, after: said }])
    const updated = await call(writes(incident.id).updateIncident)
    assert.deepEqual([updated.status, updated.body.incident.updates.length], [201, 2])
    const then = { ...said, stage: 'identified', text: 'A disk' }
    assert.deepEqual(await audited('update-incident', 1), [{ ...by, after: then }])
    assert.deepEqual((await get('/admin/status/incidents/written')).incidents, [updated.body.incident])
    assert.deepEqual((await get('/admin/status/incidents')).incidents, [])
    const deleted = await call(writes(incident.id).deleteIncident, admin)
    assert.deepEqual([deleted.status, deleted.body], [200, { status: 200, incident: updated.body.incident }])
    assert.deepEqual((await get('/admin/status/incidents/written')).incidents, [])
    assert.equal((await call(writes(incident.id).deleteIncident)).status, 404)
    const [unknown, removed] = (await get('/admin/audit?action=delete-incident')).events
    assert.deepEqual([unknown.outcome, unknown.target], ['refused: Unknown incident', incident.id])
    assert.deepEqual([removed.outcome, removed.target], ['success', incident.id])
    assert.deepEqual([removed.before, removed.after], [then, null])

    const changed = await write('change')
    const { schedule, tz, nextRunAt, graceSeconds, timeoutFrom } = changed.body.component
    assert.deepEqual([changed.status, schedule, tz, graceSeconds], [200, '0 3 * * 1-5', 'Europe/Berlin', 600])
    assert.ok(Date.parse(nextRunAt) > Date.now() && timeoutFrom === 'heartbeat')
    const cron = { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin' }
    assert.deepEqual((await audited('change-component', 1))[0], {
      outcome: 'success',
      actor: keeper,
      target: 'db',
      after: cron,
    })
    const limited = await call(['PATCH', '/admin/status/components/db', { maxRunSeconds: 60 }])
    assert.deepEqual([limited.body.component.maxRunSeconds, limited.body.component.schedule], [60, schedule])
    for (const [sent, due] of [
      [{ schedule: '0 4 * * *' }, ['0 4 * * *', 'Europe/Berlin']],
      [{ tz: 'Asia/Tokyo' }, ['0 4 * * *', 'Asia/Tokyo']],
    ] as const) {
      const { component } = (await call(['PATCH', '/admin/status/components/db', sent])).body
      assert.deepEqual([component.schedule, component.tz], due)
      assert.deepEqual((await audited('change-component', 1))[0]?.after, sent)
    }
    await worker.beat('cache')
    const zone = await call(['PATCH', '/admin/status/components/cache', { tz: 'Asia/Tokyo' }])
    const badTz = 'tz must be an IANA time zone such as Europe/Berlin, with a schedule'
    assert.deepEqual([zone.status, zone.body], [400, { status: 400, message: badTz }])

    const tested = await write('test')
    assert.deepEqual(
      [tested.status, tested.body.target, tested.body.test.outcome, tested.body.test.reason],
      [200, 'chat', 'accepted', null],
    )
    assert.equal(shown.get('channel'), '**\\[TEST\\]** Alerts from Menagerie arrive here.')
    const [target] = (await get('/admin/status/targets')).targets
    assert.deepEqual([target.target, target.host, target.lastTest], ['chat', new URL(chat.url).host, tested.body.test])
    assert.deepEqual((await audited('test-target', 1))[0]?.after, { outcome: 'accepted', reason: null })

    const muted = await write('mute')
    assert.deepEqual([muted.status, muted.body.componentId, muted.body.mute.by], [200, 'db', 'keeper'])
    assert.deepEqual((await audited('mute', 1))[0]?.after, { until: muted.body.mute.until, by: 'keeper' })
    assert.equal((await write('unmute')).body.mute, null)
    await worker.beat('db', 'outage')
    assert.equal((await write('acknowledge')).body.acknowledgement.by, 'keeper')
    assert.deepEqual(await audited('acknowledge', 1), [
      { outcome: 'success', actor: keeper, target: 'db', after: { by: 'keeper' } },
    ])

    const retired = await call(['DELETE', '/admin/status/components/db?publish=nothing', undefined])
    assert.deepEqual([retired.status, retired.body], [200, { status: 200, componentId: 'db' }])
    assert.equal(await found(), undefined)
    assert.deepEqual(await audited('retire-component', 1), [
      { outcome: 'success', actor: keeper, target: 'db', after: { publish: 'nothing' } },
    ])
    await service.close()
    await worker.close()
  })

  it('is refused to other roles and to API keys, before anything is asked', async () => {
    const worker = await StatusServer.open(() => json(200, {}))
    const { service, token, write, person, audited } = await stage([worker.url])
    const others = [await person('uma', 'user'), await person('sue', 'support'), await person('moe', 'moderator')]
    const made = { name: 'all', scopes: ['images', 'admin:read', 'upload', 'store'] }
    const { key } = (await service.request('POST', '/auth/keys', { token, body: made })).body
    for (const name of names) {
      for (const other of others) assert.equal((await write(name, other)).status, 403, name)
      const { status, body } = await write(name, `Bearer ${key}`)
      assert.deepEqual([status, body.message], [403, 'API keys cannot be used here; sign in instead'])
    }
    assert.deepEqual(asked(worker), [])
    const [event] = await audited('retire-component', 4)
    assert.match(event?.outcome ?? '', /^refused: /)
    await service.close()
  })

  it('that the worker refuses is refused with the same status and text', async () => {
    const worker = await StatusServer.open(() => json(200, {}))
    const { service, write } = await stage([worker.url])
    for (const name of names)
      for (const [status, error] of refusals[name]) {
        worker.fault = { kind: 'reply', reply: json(status, { ok: false, error }) }
        const reply = await write(name)
        assert.deepEqual([reply.status, reply.body], [status, { status, message: error }], name)
      }
    await service.close()
  })

  it('from an address that may only send heartbeats is 503, and says which setting allows it', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: '127.0.0.2' } })
    const { service, write, audited } = await stage([worker.url])
    const message =
      'Status worker does not accept changes from this instance: add its address to STATUS_ADMIN_ALLOW there'
    for (const name of names) assert.deepEqual((await write(name)).body, { status: 503, message }, name)
    assert.deepEqual((await audited('announce', 1))[0]?.outcome, `failed: ${message}`)
    await service.close()
    await worker.close()
  })

  it('is sent to no worker if an id or a field is invalid', async () => {
    const worker = await StatusServer.open(() => json(200, {}))
    const { service, call } = await stage([worker.url])
    const ids = [
      '..',
      '%2e%2e',
      'a%2fb',
      'a%3fb',
      '%00',
      '%0d%0aX:1',
      '-a',
      '__proto__',
      'x'.repeat(65),
      '%f0%9f%a6%8a',
    ]
    for (const id of ids)
      for (const [method, path, message, sent] of [
        ['DELETE', `components/${id}`, 'Unknown component', undefined],
        ['PATCH', `components/${id}`, 'Unknown component', {}],
        ['GET', `components/${id}/runs`, 'Unknown component', undefined],
        ['DELETE', `maintenance/${id}`, 'Unknown maintenance', undefined],
        ['PUT', `maintenance/${id}`, 'Unknown maintenance', {}],
        ['DELETE', `maintenance/recurring/${id}`, 'Unknown maintenance', undefined],
        ['DELETE', `announcements/${id}`, 'Unknown announcement', undefined],
        ['POST', `targets/${id}/test`, 'Unknown target', undefined],
        ['POST', `incidents/${id}/updates`, 'Unknown incident', { stage: 'identified', text: 'x' }],
        ['DELETE', `incidents/${id}`, 'Unknown incident', undefined],
      ] as const) {
        // undici would resolve the dots.
        const { status, body } = await call([method, `/admin/status/${path}`, sent])
        assert.equal(status, 404, path)
        if (!id.includes('.') && !id.includes('%2e')) assert.equal(body.message, message, path)
      }
    const [until, text] = [new Date(Date.now() + 60_000).toISOString(), 'x']
    const badComponents = 'components must be a list of 1 to 1000 component ids'
    const badTime = 'from and until must be ISO 8601 timestamps with a time zone'
    const badAffected = 'components must be a list of at most 200 component ids'
    const badStage = 'stage must be one of investigating, identified, monitoring, resolved, postmortem'
    const recurring = { components: ['a'], schedule: '0 3 * * 0', durationSeconds: 60 }
    const fiveFields = 'schedule must be a cron expression of five fields:'
    const noSchedule = 'schedule must be a cron expression, such as 0 3 * * 1-5'
    const badTz = 'tz must be an IANA time zone such as Europe/Berlin, with a schedule'
    const badText = 'text must be a string of at most 500 characters'
    for (const [list, sent, message] of [
      ['maintenance', {}, badComponents],
      ['maintenance', { components: [], until }, badComponents],
      ['maintenance/recurring', {}, badComponents],
      ['maintenance/recurring', { components: ['a'], durationSeconds: 60 }, noSchedule],
      ['maintenance/recurring', { ...recurring, schedule: '0 3 * *' }, `${fiveFields} it has 4 fields instead of 5`],
      ['maintenance/recurring', { ...recurring, tz: 'Europe/Nowhere' }, badTz],
      ['maintenance/recurring', { ...recurring, durationSeconds: 59 }, badDuration],
      ['maintenance/recurring', { ...recurring, text: {} }, badText],
      ['maintenance', { components: ['a/b'], until }, badComponents],
      ['maintenance', { components: 'a', until }, badComponents],
      ['maintenance', { components: ['a'] }, badTime],
      ['maintenance', { components: ['a'], until: 1 }, badTime],
      ['maintenance', { components: ['a'], until, text: {} }, badText],
      ['announcements', {}, badText],
      ['announcements', { text: '  ' }, badText],
      ['announcements', { text: 'x'.repeat(501) }, badText],
      ['announcements', { text, from: 'now' }, badTime],
      ['incidents', { text, level: 'outage' }, 'title must be a string of 1 to 100 characters'],
      ['incidents', { title: text, text: ' ', level: 'outage' }, 'text must be a string of 1 to 2000 characters'],
      ['incidents', { title: text, text, level: 'none' }, 'level must be one of outage, partial, degraded'],
      ['incidents', { title: text, text, level: 'outage', components: ['/'] }, badAffected],
      [`incidents/${anId}/updates`, { text, stage: 'fixed' }, badStage],
    ] as const) {
      const { status, body } = await call(['POST', `/admin/status/${list}`, sent])
      assert.deepEqual([status, body.message], [400, message], JSON.stringify(sent).slice(0, 80))
    }
    for (const [sent, message] of [
      [{ components: [] }, badComponents],
      [{ components: 'a' }, badComponents],
      [{ until: 1 }, badTime],
      [{ from: 'now' }, badTime],
      [{ text: {} }, badText],
    ] as const) {
      const { status, body } = await call(['PUT', `/admin/status/maintenance/${anId}`, sent])
      assert.deepEqual([status, body.message], [400, message], JSON.stringify(sent))
    }
    const incident = { title: 'x', level: 'outage', text: 'x' }
    const stages = 'stage must be one of investigating, identified, monitoring, resolved, postmortem'
    const update = { stage: 'identified', text: 'x' }
    for (const [path, sent, message] of [
      ['incidents', { ...incident, from: 'now' }, badTime],
      ['incidents', { ...incident, stage: 'lost' }, stages],
      [`incidents/${anId}/updates`, { ...update, text: '' }, 'text must be a string of 1 to 2000 characters'],
      [
        `incidents/${anId}/updates`,
        { ...update, components: 'a' },
        'components must be a list of at most 200 component ids',
      ],
      [`incidents/${anId}/updates`, { ...update, level: 'bad' }, 'level must be one of outage, partial, degraded'],
    ] as const) {
      const { status, body } = await call(['POST', `/admin/status/${path}`, sent])
      assert.deepEqual([status, body.message], [400, message], path)
    }
    for (const [query, message] of [
      ['Limit=1', 'Unknown parameter: Limit'],
      ['cursor=x', 'cursor must be the `next` value of a previous response'],
    ])
      assert.equal((await call(['GET', `/admin/status/incidents/written?${query}`, undefined])).body.message, message)
    const badMute = 'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now'
    for (const until of [undefined, null, 'soon', '2026-06-01T12:00:00']) {
      const { status, body } = await call(['PUT', '/admin/status/components/a/mute', { until }])
      assert.deepEqual([status, body.message], [400, badMute], String(until))
    }
    for (const [sent, message] of [
      [{ expectWithinSeconds: 9 }, 'expectWithinSeconds must be a whole number from 10 to 2678400'],
      [{ graceSeconds: '5' }, 'graceSeconds must be a whole number from 0 to 2678400'],
      [{ maxRunSeconds: 0 }, 'maxRunSeconds must be a whole number from 1 to 2678400'],
      [{ schedule: 5 }, 'schedule must be a cron expression, such as 0 3 * * 1-5'],
      [{ tz: 'Europe/Nowhere' }, badTz],
      [{ tz: 'Europe/Berlin', expectWithinSeconds: 60 }, badTz],
      [{ schedule: '@daily', expectWithinSeconds: 60 }, 'schedule and expectWithinSeconds cannot be combined'],
      [{ schedule: '0 25 * * *' }, /^schedule must be a cron expression of five fields: .*25/],
    ] as const) {
      const { status, body } = await call(['PATCH', '/admin/status/components/a', sent])
      assert.equal(status, 400)
      if (typeof message === 'string') assert.equal(body.message, message)
      else assert.match(body.message, message)
    }
    for (const [query, message] of [
      ['publish=outage', 'publish must be operational, maintenance or nothing'],
      ['Publish=nothing', 'Unknown parameter: Publish'],
    ])
      assert.equal((await call(['DELETE', `/admin/status/components/a?${query}`, undefined])).body.message, message)
    assert.deepEqual(asked(worker), [])
    await service.close()
  })
})
