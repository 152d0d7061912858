import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker, until } from '../status/worker-stage.ts'
import { discordWebhook } from '../support/alert-channels.ts'
import { fakeClock } from '../support/clock.ts'
import { json, type Reply, StatusServer } from '../support/status-servers.ts'
import { nativeService } from '../support/status-vendors.ts'
import { testFolder } from '../support/test-folder.ts'
import { atTerminal, tool, toolHere, toolJson } from './tool.ts'

/** A URL at which nothing listens any more. */
const goneUrl = async () => {
  const server = await StatusServer.open(() => ({ status: 200 }))
  const { url } = server
  await server.close()
  return url
}

/** With the database of the API, which has the audit. */
async function withAudit(env: Record<string, string>): Promise<Record<string, string>> {
  const all = { ...env, DATA_DIR: testFolder() }
  assert.equal((await tool(all, ['db', 'migrate'])).code, 0)
  return all
}

const audited = async (env: Record<string, string>) =>
  ((await toolJson(env, ['audit'])).events as Record<string, unknown>[])
    .reverse()
    .map(({ action, outcome, actor, target, after }) => ({ action, outcome, actor, target, after }))

describe('status', () => {
  it('says that the only worker, which stands by, waits for its database', async () => {
    const error = 'Standing by: this worker is not the leader'
    const standBy = await StatusServer.open(() => json(503, { ok: false, error }))
    const { code, stderr } = await tool({ STATUS_WORKER_URL: standBy.url }, ['status', 'components'])
    assert.equal(code, 1)
    assert.match(stderr, /HTTP 503: Standing by.*leader\. If there is no other, it waits for its database\.$/m)
  })

  it('lists components and incidents, and retires a component after a confirmation', async () => {
    const kuma = { STATUS_SERVICE_KIND: 'uptime-kuma', STATUS_SERVICE_URL: 'http://127.0.0.1:1' }
    const worker = await openWorker({ env: { ...kuma, STATUS_SERVICE_COMPONENTS: 'api=token-1,backup=token-2' } })
    const env = await withAudit({ STATUS_WORKER_URL: `${await goneUrl()}, ${worker.url}` })
    for (const id of ['api', 'db']) await worker.beat(id, 'degraded')
    const { components } = await toolJson(env, ['status', 'components'])
    assert.deepEqual(
      components.map(({ componentId, wantedStatus }: Record<string, string>) => [componentId, wantedStatus]),
      [
        ['api', 'degraded'],
        ['db', 'degraded'],
      ],
    )
    const { stdout } = await tool(env, ['status', 'components'])
    assert.match(stdout, /^COMPONENT +STATUS.*\napi +degraded +on time .*\n\nNo heartbeat is known of: backup\n$/s)
    assert.deepEqual(await toolJson(env, ['status', 'incidents', '--open', '--component', 'api']), {
      incidents: [],
      next: null,
    })
    assert.match(
      (await tool(env, ['status', 'acknowledge', 'api'])).stderr,
      / responded to POST \/components\/api\/acknowledge with HTTP 409: Component is not down\.$/m,
    )
    await worker.beat('api', 'outage')
    const { acknowledgement } = await toolJson(env, ['status', 'acknowledge', 'api', '--by', 'mia'])
    assert.equal(acknowledgement.by, 'mia')
    assert.equal((await tool(env, ['status', 'mute', 'api'])).code, 2)
    const until = new Date(Date.now() + 3_600_000).toISOString()
    assert.equal((await toolJson(env, ['status', 'mute', 'api', '--until', until])).mute.until, until)
    assert.match((await tool(env, ['status', 'mute', 'api', '--end'])).stdout, /^Alerts of api are sent again\.$/m)
    const unconfirmed = await tool(env, ['status', 'retire', 'db'])
    assert.deepEqual([unconfirmed.code, unconfirmed.stderr.includes('--yes')], [2, true])
    const asked = [{ asked: 'Continue? [y/N]', typed: 'y\n' }]
    const { code, screen } = await atTerminal(env, ['status', 'retire', 'db'], asked)
    assert.deepEqual([code, screen.includes('Retired db.')], [0, true])
    const again = await tool(env, ['status', 'retire', 'db', '--yes'])
    assert.deepEqual([again.code, /HTTP 404: Unknown component/.test(again.stderr)], [1, true])
    const unknown = await atTerminal(env, ['status', 'retire', 'db'], asked)
    assert.deepEqual([unknown.code, unknown.unasked.length], [1, 1], 'no question about a component that is not there')
    assert.match(unknown.screen, /HTTP 404: Unknown component/)
    const act = { outcome: 'success', actor: 'cli' }
    assert.deepEqual(await audited(env), [
      { ...act, action: 'acknowledge', target: 'api', after: { by: 'mia' } },
      { ...act, action: 'mute', target: 'api', after: { until, by: 'the command line' } },
      { ...act, action: 'unmute', target: 'api', after: null },
      { ...act, action: 'retire-component', target: 'db', after: { publish: 'maintenance' } },
    ])
    await worker.close()
  })

  it('lists what a target accepted last and what failed after that, and who acknowledged or muted a component', async () => {
    const phone = await StatusServer.open(() => json(500, {}))
    const target = { STATUS_TARGET_PHONE_KIND: 'ntfy', STATUS_TARGET_PHONE_URL: `${phone.url}/zoo` }
    const worker = await openWorker({ env: { STATUS_TARGETS: 'phone', STATUS_GROUP_SECONDS: '0', ...target } })
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const listed = async () => (await tool(env, ['status', 'components'])).stdout
    await worker.beat('queue')
    assert.match(await listed(), / PUBLISHED +ALERTS\nqueue +operational .* phone: no outage +-\n$/)
    await worker.beat('queue', 'outage')
    const push = async () => (await worker.ask('GET', '/components')).body.components[0].targets[0].push
    await until(async () => (await push()) === 'waiting')
    assert.match(await listed(), / phone: no outage \("outage" failed: HTTP 500; is tried again by [\d:.TZ-]+\) +-\n$/)
    await toolJson(env, ['status', 'acknowledge', 'queue', '--by', 'mia'])
    const end = new Date(Date.now() + 3_600_000).toISOString()
    await toolJson(env, ['status', 'mute', 'queue', '--until', end, '--by', 'leo'])
    assert.match(
      await listed(),
      new RegExp(` \\("outage" failed: HTTP 500\\) +acknowledged by mia, muted by leo until ${end}\\n$`),
    )
    await worker.close()
  })

  it('calls a message that failed after the outage was accepted by what it was', async () => {
    let status = 200
    const phone = await StatusServer.open(() => json(status, {}))
    const target = { STATUS_TARGET_PHONE_KIND: 'ntfy', STATUS_TARGET_PHONE_URL: `${phone.url}/zoo` }
    const worker = await openWorker({ env: { STATUS_TARGETS: 'phone', STATUS_GROUP_SECONDS: '0', ...target } })
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const pushes = async () => (await worker.ask('GET', '/components')).body.components[0].targets[0].lastPushes
    await worker.beat('queue', 'outage')
    await until(async () => (await pushes())[0]?.outcome === 'accepted')
    status = 500
    await toolJson(env, ['status', 'acknowledge', 'queue', '--by', 'mia'])
    await until(async () => (await pushes())[0].isAcknowledgement)
    const { stdout } = await tool(env, ['status', 'components'])
    assert.match(stdout, / phone: outage \("acknowledgement" failed: HTTP 500/)
    await worker.close()
  })

  it('changes when a component is due, and lists its runs with their output', async () => {
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    await worker.ask('POST', '/heartbeat/job/start?rid=one')
    await worker.ask('POST', '/heartbeat/job/3?rid=two', Buffer.from('first line\n\u001b[31mdisk full\u0007'))
    const change = [
      'status',
      'change',
      'job',
      '--schedule',
      '0 3 * * 1-5',
      '--tz',
      'Europe/Berlin',
      '--max-run',
      '7200',
    ]
    const { component } = await toolJson(env, change)
    assert.deepEqual([component.schedule, component.maxRunSeconds, component.running], ['0 3 * * 1-5', 7200, 1])
    const { stdout } = await tool(env, ['status', 'change', 'job', '--grace', '60'])
    assert.match(
      stdout,
      /^Expected: 0 3 \* \* 1-5 Europe\/Berlin, with a grace period of 60 s; a run may take 7200 s\.\n/,
    )
    assert.match(stdout, /\nNext run: \d{4}-.*\nDeadline: \d{4}-/)
    assert.match((await tool(env, ['status', 'components'])).stdout, /EXPECTED.*\njob .* 0 3 \* \* 1-5 Europe\/Berlin /)
    const later = await tool(env, ['status', 'change', 'job', '--schedule', '0 4 * * *'])
    assert.match(later.stdout, /^Expected: 0 4 \* \* \* Europe\/Berlin, /)
    const elsewhere = await tool(env, ['status', 'change', 'job', '--tz', 'Asia/Tokyo'])
    assert.match(elsewhere.stdout, /^Expected: 0 4 \* \* \* Asia\/Tokyo, /)
    const wrong = await tool(env, ['status', 'change', 'job', '--schedule', '0 0 30 2 *'])
    assert.deepEqual([wrong.code, /HTTP 400: schedule must be/.test(wrong.stderr)], [1, true])
    assert.equal((await tool(env, ['status', 'change', 'job'])).code, 2)
    const listed = (await tool(env, ['status', 'runs', 'job', '--output'])).stdout
    assert.match(listed, /^RUN +STARTED .*\ntwo +- +- +failed +3 +-\none +2\S+ +\d+ s +running +- +-\n/)
    assert.match(listed, /\ntwo:\n {2}first line\n {2}disk full\ufffd\n$/)
    const { runs } = await toolJson(env, ['status', 'runs', 'job'])
    assert.deepEqual(
      runs.map(({ rid, body }: Record<string, string>) => [rid, body]),
      [
        ['two', 'first line\ndisk full\ufffd'],
        ['one', null],
      ],
    )
    assert.match((await tool(env, ['status', 'runs', 'none'])).stderr, /HTTP 404: Unknown component/)
    const act = { outcome: 'success', actor: 'cli', action: 'change-component', target: 'job' }
    assert.deepEqual(await audited(env), [
      { ...act, after: { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin', maxRunSeconds: 7200 } },
      { ...act, after: { graceSeconds: 60 } },
      { ...act, after: { schedule: '0 4 * * *' } },
      { ...act, after: { tz: 'Asia/Tokyo' } },
    ])
    await worker.close()
  })

  it('says so if STATUS_TIMEOUTS overrides a change, and nothing if it does not', async () => {
    const worker = await openWorker({ env: { STATUS_TIMEOUTS: 'web=15s+10s, api=15s' } })
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    for (const id of ['web', 'api', 'other']) await worker.beat(id)
    const note = (id: string) =>
      `STATUS_TIMEOUTS of the worker overrides when ${id} is due. The change is kept for when STATUS_TIMEOUTS no longer names it.\n`
    for (const [id, terms, expected, said] of [
      ['web', ['--expect-within', '30'], '15 s, with a grace period of 10 s', note('web')],
      ['web', ['--schedule', '@daily'], '15 s, with a grace period of 10 s', note('web')],
      ['web', ['--tz', 'Asia/Tokyo'], '15 s, with a grace period of 10 s', note('web')],
      ['web', ['--grace', '60'], '15 s, with a grace period of 10 s', note('web')],
      ['web', ['--grace', '10'], '15 s, with a grace period of 10 s', ''],
      ['web', ['--max-run', '60'], '15 s, with a grace period of 10 s', ''],
      ['api', ['--grace', '60'], '15 s, with a grace period of 60 s', ''],
      ['api', ['--expect-within', '30', '--grace', '20'], '15 s, with a grace period of 20 s', note('api')],
      ['other', ['--expect-within', '30'], '30 s, with a grace period of 0 s', ''],
    ] as const) {
      const { code, stdout, stderr } = await tool(env, ['status', 'change', id, ...terms])
      assert.deepEqual([code, stderr, stdout.startsWith(`Expected: ${expected};`)], [0, said, true], terms.join(' '))
    }
    const { component } = await toolJson(env, ['status', 'change', 'web', '--expect-within', '30'])
    assert.equal(component.timeoutFrom, 'setting')
    await worker.close()
  })

  it('announces, lists, changes and ends maintenance, and refuses a line that mixes them', async () => {
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const announce = ['status', 'maintenance', 'api', 'db', '--until', until, '--text', 'new\u001b disks']
    const [{ id, state, components, text }] = (await toolJson(env, announce)).maintenance
    assert.deepEqual([state, components, text], ['active', ['api', 'db'], 'new\ufffd disks'])
    assert.match((await tool(env, ['status', 'maintenance'])).stdout, new RegExp(`^ID .*\\n${id} +active .* api, db `))
    for (const [args, reason] of [
      [['api'], 'Missing --until'],
      [['--until', until], 'Name the components'],
      [['--end', id, 'api'], '--end takes no'],
      [['--end', id, '--text', 'x'], '--end takes no'],
      [['--end', id, '--change', id], '--end takes no'],
      [['--change', id], 'Name what changes'],
    ] as const) {
      const { code, stderr } = await tool(env, ['status', 'maintenance', ...args])
      assert.deepEqual([code, stderr.includes(reason)], [2, true], args.join(' '))
    }
    const changing = ['status', 'maintenance', '--change', id]
    const [shorter] = (await toolJson(env, [...changing, 'db', '--text', 'one disk'])).maintenance
    assert.deepEqual([shorter.components, shorter.until, shorter.text], [['db'], until, 'one disk'])
    const [silent] = (await toolJson(env, [...changing, '--text', ''])).maintenance
    assert.equal(silent.text, null)
    const [changed] = (await toolJson(env, [...changing, 'api', 'db', '--text', text])).maintenance
    assert.deepEqual([changed.components, changed.from], [['api', 'db'], shorter.from])
    const [ended] = (await toolJson(env, ['status', 'maintenance', '--end', id])).maintenance
    assert.equal(ended.state, 'over')
    const listed = async () => (await tool(env, ['status', 'maintenance'])).stdout
    assert.match(await listed(), new RegExp(`^${id} +over +${ended.from} +${ended.endedAt} +api, db `, 'm'))
    const act = { outcome: 'success', actor: 'cli', target: id }
    assert.deepEqual(await audited(env), [
      { ...act, action: 'announce-maintenance', after: { components: 'api, db', from: ended.from, until, text } },
      {
        ...act,
        action: 'change-maintenance',
        after: { components: 'db', from: ended.from, until, text: 'one disk' },
      },
      { ...act, action: 'change-maintenance', after: { components: 'db', from: ended.from, until, text: null } },
      { ...act, action: 'change-maintenance', after: { components: 'api, db', from: ended.from, until, text } },
      { ...act, action: 'end-maintenance', after: { components: 'api, db', endedAt: ended.endedAt } },
    ])
    const inTwoHours = new Date(Date.now() + 7_200_000).toISOString()
    await worker.beat('db')
    const plan = ['status', 'maintenance', 'db', '--from', until, '--until', inTwoHours]
    const misspelled = await tool(env, ['status', 'maintenance', 'db', 'dbb', '--from', until, '--until', inTwoHours])
    assert.deepEqual([misspelled.code, misspelled.stderr], [0, 'No heartbeat has come from dbb so far.\n'])
    const [planned] = (await toolJson(env, plan)).maintenance
    assert.match(await listed(), new RegExp(`^${planned.id} +planned +${until} +${inTwoHours} +db$`, 'm'))
    const again = await tool(env, ['status', 'maintenance', 'db', '--until', inTwoHours])
    const also = (other: string) => `Other maintenance of db: ${other}, from ${until} to ${inTwoHours}.\n`
    assert.ok(again.stderr.includes(also(planned.id)), again.stderr)
    assert.equal(again.stderr.split('Other maintenance').length, 3, 'the one with dbb, too, and none that is over')
    const { stdout } = await tool(env, ['status', 'maintenance', '--end', planned.id])
    assert.match(stdout, new RegExp(`^${planned.id} +over +${until} +cancelled +db$`, 'm'))
    await worker.close()
  })

  it('takes a duration from now or from the start, or the next such time of day, where a time is to come', async () => {
    const clock = fakeClock(new Date(2026, 5, 1, 22, 15).getTime())
    const worker = await openWorker({ overrides: { clock } })
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    await worker.beat('api')
    const run = (args: readonly string[]) => toolHere(env, ['status', ...args, '--json'], '', clock)
    const inMs = (ms: number) => new Date(clock.now() + ms).toISOString()
    const at = (day: number, hours: number, minutes = 0) => new Date(2026, 5, day, hours, minutes).toISOString()
    for (const [text, until] of [
      ['90m', inMs(5_400_000)],
      ['2h', inMs(7_200_000)],
      ['3d', inMs(259_200_000)],
      ['23:00', at(1, 23)],
      ['02:00', at(2, 2)],
      ['22:15', at(2, 22, 15)],
      ['2026-06-03', at(3, 0)],
    ] as const) {
      const { stdout } = await run(['mute', 'api', '--until', text])
      assert.equal(JSON.parse(stdout).mute.until, until, text)
    }
    for (const text of ['24:00', '9:00', '12:60', '0h', '2w', '-2h', '1.5h', '2h30m']) {
      const { code, stderr } = await run(['mute', 'api', '--until', text])
      assert.deepEqual([code, stderr.includes('Expected a duration such as 90m')], [2, true], text)
    }
    const maintained = await run(['maintenance', 'api', '--from', '1h', '--until', '02:00'])
    const [window] = JSON.parse(maintained.stdout).maintenance
    assert.deepEqual([window.from, window.until], [inMs(3_600_000), at(2, 2)])
    const changed = await run(['maintenance', '--change', window.id, '--until', '6h'])
    assert.equal(JSON.parse(changed.stdout).maintenance[0].until, inMs(25_200_000), 'from its start, in an hour')
    const announced = await run(['announce', 'x', '--from', '23:00', '--until', '3h'])
    const [announcement] = JSON.parse(announced.stdout).announcements
    assert.deepEqual([announcement.from, announcement.until], [at(1, 23), at(2, 2)], 'counted from the start')
    for (const [end, until] of [
      ['90m', at(3, 3)],
      ['01:00', at(4, 1)],
      ['2026-06-04', at(4, 0)],
    ] as const) {
      const { stdout } = await run(['maintenance', 'api', '--until', end, '--from', '2026-06-03T01:30'])
      assert.equal(JSON.parse(stdout).maintenance[0].until, until, end)
    }
    const unread = await run(['announce', 'x', '--until', '2w'])
    assert.deepEqual([unread.code, unread.stderr.includes("'--until <time>' argument '2w' is invalid")], [2, true])
    const began = await run(['open-incident', 'x', '--text', 'y', '--level', 'partial', '--from', '2h'])
    assert.deepEqual([began.code, began.stderr.includes('Expected a date or time')], [2, true], 'it began in the past')
    await worker.close()
  })

  it('announces, lists and ends recurring maintenance, and refuses a line that mixes them', async () => {
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const command = ['status', 'recurring-maintenance']
    const terms = ['api', '--schedule', '0 3 * * 0', '--tz', 'Europe/Berlin', '--duration', '7200']
    const [{ id, windows }] = (await toolJson(env, [...command, ...terms])).recurring
    assert.equal(windows.length, 5)
    assert.match((await tool(env, command)).stdout, new RegExp(`${id} +0 3 \\* \\* 0 +Europe/Berlin +7200 s .* api`))
    for (const [args, reason] of [
      [['api', '--duration', '60'], 'Missing --schedule'],
      [['--schedule', '@daily'], 'Name the components'],
      [['--end', id, '--text', 'x'], '--end takes no'],
      [['api', '--schedule', '@monthly', '--duration', '59'], 'Expected a whole number from 60 to 604800.'],
      [['api', '--schedule', '@monthly', '--duration', '604801'], 'Expected a whole number from 60 to 604800.'],
    ] as const) {
      const { code, stderr } = await tool(env, [...command, ...args])
      assert.deepEqual([code, stderr.includes(reason)], [2, true], args.join(' '))
    }
    assert.deepEqual((await toolJson(env, [...command, '--end', id])).recurring[0].windows, [])
    await worker.close()
  })

  it('announces, lists and ends a text, and refuses a line that mixes them', async () => {
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const announce = ['status', 'announce', 'new\u001b <b>photographs</b>', '--until', until]
    const [{ id, ...made }] = (await toolJson(env, announce)).announcements
    assert.deepEqual(
      [made.state, made.text, made.until, made.endedAt],
      ['active', 'new\ufffd <b>photographs</b>', until, null],
    )
    assert.match((await tool(env, ['status', 'announce'])).stdout, new RegExp(`^ID .*\\n${id} +active .*photographs`))
    for (const [args, reason] of [
      [['--until', until], 'Missing the text'],
      [['--end', id, 'text'], '--end takes no'],
      [['--end', id, '--until', until], '--end takes no'],
    ] as const) {
      const { code, stderr } = await tool(env, ['status', 'announce', ...args])
      assert.deepEqual([code, stderr.includes(reason)], [2, true], args.join(' '))
    }
    const [ended] = (await toolJson(env, ['status', 'announce', '--end', id])).announcements
    assert.equal(ended.state, 'over')
    assert.match(
      (await tool(env, ['status', 'announce'])).stdout,
      new RegExp(`^${id} +over +${ended.from} +${ended.endedAt} +new`, 'm'),
    )
    const act = { outcome: 'success', actor: 'cli', target: id }
    const text = made.text
    assert.deepEqual(await audited(env), [
      { ...act, action: 'announce', after: { text, from: ended.from, until } },
      { ...act, action: 'end-announcement', after: { text, endedAt: ended.endedAt } },
    ])
    await worker.close()
  })

  it('deletes what people wrote about an incident after a confirmation', async () => {
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: worker.url })
    const opening = ['status', 'open-incident', 'Slow uploads', '--text', 'We look into it', '--level', 'partial']
    const [{ id }] = (await toolJson(env, opening)).incidents
    const listed = async () => (await toolJson(env, ['status', 'written-incidents'])).incidents
    const unconfirmed = await tool(env, ['status', 'delete-incident', id])
    assert.deepEqual([unconfirmed.code, unconfirmed.stderr.includes('--yes')], [2, true])
    assert.equal((await listed()).length, 1)
    const asked = [{ asked: 'Continue? [y/N]', typed: 'y\n' }]
    const { code, screen } = await atTerminal(env, ['status', 'delete-incident', id], asked)
    assert.deepEqual([code, screen.includes('Deleted;'), screen.includes('We look into it')], [0, true, true])
    assert.deepEqual(await listed(), [])
    const again = await tool(env, ['status', 'delete-incident', id, '--yes'])
    assert.deepEqual([again.code, /HTTP 404: Unknown incident/.test(again.stderr)], [1, true])
    const [event] = (await toolJson(env, ['audit', '--action', 'delete-incident'])).events
    assert.deepEqual([event.target, event.before.title, event.after], [id, 'Slow uploads', null])
    await worker.close()
  })

  it('changes nothing if it cannot audit it, and says what the worker refuses', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: '127.0.0.2' } })
    const env = { STATUS_WORKER_URL: worker.url, DATA_DIR: testFolder() }
    const unaudited = await tool(env, ['status', 'announce', 'x'])
    assert.deepEqual([unaudited.code, /no database yet/.test(unaudited.stderr)], [1, true])
    const refused = await tool(await withAudit(env), ['status', 'announce', 'x'])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /HTTP 403: Changes are allowed only from addresses in STATUS_ADMIN_ALLOW\.\n$/)
    await worker.close()
  })

  it('says in one line which worker is unreachable', async () => {
    const { code, stderr } = await tool({ STATUS_WORKER_URL: await goneUrl() }, ['status', 'components'])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^STATUS_WORKER_URL: the status worker at http:\/\/127\.0\.0\.1:\d+ is unreachable \(ECONNREFUSED\)\.\n$/,
    )
  })

  it('sends a change to the leading worker only, and says if none leads', async () => {
    const standBy = await StatusServer.open(() => json(503, { ok: false, error: 'standing by' }))
    const worker = await openWorker()
    const env = await withAudit({ STATUS_WORKER_URL: `${standBy.url}, ${worker.url}` })
    await toolJson(env, ['status', 'announce', 'x'])
    assert.deepEqual(
      standBy.asked.map(({ method }) => method),
      ['GET'],
    )
    for (const [others, problem] of [
      [[standBy.url, await goneUrl()], 'every status worker that responds stands by'],
      [[await goneUrl(), await goneUrl()], 'no status worker is reachable'],
    ] as const) {
      const { code, stderr } = await tool({ ...env, STATUS_WORKER_URL: others.join() }, ['status', 'announce', 'x'])
      assert.deepEqual([code, stderr], [1, `STATUS_WORKER_URL: ${problem}.\n`])
    }
    await worker.close()
  })

  it('says in one line that another program responds there', async () => {
    const replies = [
      json(200, { ok: true }),
      json(200, { ok: true, components: [{ componentId: '\u001b[2J' }] }),
      json(404, { error: { code: 1 } }),
      { status: 200, type: 'text/html', body: '<html>' },
      { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
    ]
    const other = await StatusServer.open(() => replies[0] as Reply)
    const env = await withAudit({ STATUS_WORKER_URL: other.url })
    for (const args of [['components'], ['retire', 'x', '--yes']])
      for (const reply of replies) {
        other.fault = { kind: 'reply', reply }
        const { code, stdout, stderr } = await tool(env, ['status', ...args])
        assert.deepEqual([code, stdout], [1, ''], JSON.stringify(reply))
        assert.match(
          stderr,
          /^The status worker at http:[^ ]+ responded to [A-Z]+ \/\S+ with HTTP \d+: not the reply of a status worker/,
        )
        assert.match(stderr, /^[ -~]+\n$/)
      }
  })
})

describe('status test', () => {
  it('asks a status page, and sends a test message to an alert channel, without showing a secret', async () => {
    const shown = new Map<string, string>()
    const token = 'SECRET0123456789'
    const page = await StatusServer.open(nativeService(token, new Map()))
    const chat = await StatusServer.open(discordWebhook(token, shown))
    const env = {
      STATUS_SERVICE_KIND: 'native',
      STATUS_SERVICE_URL: page.url,
      STATUS_SERVICE_TOKEN: token,
      STATUS_TARGETS: 'chat',
      STATUS_TARGET_CHAT_KIND: 'discord',
      STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/${token}`,
    }
    const { stdout } = await tool(env, ['status', 'test', 'default'])
    assert.match(stdout, /^native at http:.*: HTTP 200, \d+ ms\.\n\{"components":\{\}\}\n$/)
    assert.equal((await toolJson(env, ['status', 'test', 'chat'])).httpStatus, 204)
    assert.equal(shown.get('channel'), '**\\[TEST\\]** Alerts from Menagerie arrive here.')
    const wrong = await tool({ ...env, STATUS_SERVICE_TOKEN: 'other' }, ['status', 'test', 'default'])
    assert.deepEqual([wrong.code, wrong.stderr.includes('HTTP 401')], [1, true])
    page.fault = { kind: 'reply', reply: { status: 200, body: 'one\u001b[2J\ntwo' } }
    assert.match((await tool(env, ['status', 'test', 'default'])).stdout, /\none \[2J\ntwo\n$/)
    page.fault = { kind: 'echo' }
    for (const target of ['default', 'chat', 'none']) {
      const { stdout, stderr } = await tool(env, ['status', 'test', target])
      assert.doesNotMatch(stdout + stderr, /SECRET/)
    }
    assert.deepEqual([(await tool(env, ['status', 'test', 'none'])).code, page.complaints.length], [1, 1])
  })
})
