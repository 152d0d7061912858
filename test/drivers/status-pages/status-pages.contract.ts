import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { openStatusPage, type StatusPageKind } from '../../../src/drivers/status-pages/vendors.ts'
import type { Notice } from '../../../src/status/publication.ts'
import type { StatusPage } from '../../../src/status/status-page.ts'
import { type Status, statuses } from '../../../src/status/statuses.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { itInFull } from '../../support/size.ts'
import { type Fault, json, type Reply, StatusServer, type Vendor } from '../../support/status-servers.ts'
import type { Shown } from '../../support/status-vendors.ts'
import { until } from '../../support/until.ts'

export const noticeOf = (values: Partial<Notice> = {}): Notice => ({
  componentId: 'api',
  status: 'outage',
  previousStatus: null,
  source: 'heartbeat',
  reportedAt: Date.parse('2026-06-01T11:59:00.000Z'),
  incidentId: null,
  sequence: 1,
  ...values,
})

export const worker = '5c7f3a52-2d3c-4b74-8a54-8a2f4d8f3e01'
export const secret = 'SECRET-a/b+c=d~0123456789'

/** Mail has its own test. */
export type HttpKind = Exclude<StatusPageKind, 'mail'>

/** A kind of page and a server of its vendor. */
export interface PageStage {
  readonly kind: HttpKind
  vendor(shown: Shown, clock: FakeClock): Vendor
  /** Appended to the server's address. */
  readonly path: string
  /** The path with secrets masked; by default `path`. */
  readonly shownPath?: string
  readonly token: string | null
  readonly to?: string
  readonly components: ReadonlyMap<string, string> | null
  /** The vendor's name for `api`. */
  readonly name: string
  readonly shown: Readonly<Record<Status, string>>
  readonly repeatEveryMs: number | null
  /** Settings with a secret that the vendor does not know, and the status of its response. */
  readonly wrong: {
    readonly path?: string
    readonly token?: string | null
    readonly components?: ReadonlyMap<string, string> | null
  }
  readonly wrongAnswer: number
  /** A complete success response of this vendor. */
  readonly success: Reply
  readonly probePath: string
}

/** Faults that end by themselves get the long timeout; only a test of the timeout waits, for the short one. */
const shortMs = 250
const longMs = 10_000

/** On a busy machine the short timeout may pass before the fault: then once more with the long one. */
async function inShort<T>(act: (timeoutMs: number) => Promise<T>, isTooEarly: (result: T) => boolean): Promise<T> {
  const result = await act(shortMs)
  return isTooEarly(result) ? act(longMs) : result
}

/** The promises of the port, against a server that accepts only what its vendor documents. */
export function statusPageContract(stage: PageStage): void {
  describe(`a page of ${stage.kind}`, { concurrency: false }, () => {
    const clock = fakeClock()
    /** The kinds share what reads responses: `npm test` tries it with one of them. */
    const itForOne = stage.kind === 'webhook' ? it : itInFull
    const shown: Shown = new Map()
    let server: StatusServer
    const pages: StatusPage[] = []

    function open(
      { path = stage.path, ...values }: PageStage['wrong'] = {},
      timeoutMs = longMs,
      url = server.url,
    ): StatusPage {
      const { kind, token, to = null, components, repeatEveryMs: reminderMs } = stage
      const page = openStatusPage({
        prefix: 'STATUS_SERVICE',
        kind,
        url: `${url}${path}`,
        token,
        components,
        to,
        clock,
        reminderMs,
        source: worker,
        timeoutMs,
        ...values,
      })
      assert.ok(page)
      pages.push(page)
      return page
    }

    before(async () => {
      if (stage.components) shown.set(stage.name, 'nothing yet')
      server = await StatusServer.open(stage.vendor(shown, clock))
    })
    afterEach(async () => {
      // A new window for rate limits.
      clock.advance(61_000)
      server.fault = null
      await Promise.all(pages.splice(0).map((page) => page.close()))
      await server.emptied()
    })
    after(() => server.close())

    const pushWith = (fault: Fault | null, timeoutMs = longMs, values: Partial<Notice> = {}) => {
      server.fault = fault
      return open({}, timeoutMs).push(noticeOf({ sequence: ++sequence, ...values }))
    }
    let sequence = 100
    const replied = (status: number, headers: Readonly<Record<string, string>> = {}) =>
      pushWith({ kind: 'reply', reply: json(status, { error: secret }, headers) })
    const failedWith = (reason: string, retryAfterMs = 0) => ({ kind: 'failed', reason, retryAfterMs })
    const refusedWith = (status: number, retryAfterMs = 0) => ({
      ...failedWith(`HTTP ${status}`, retryAfterMs),
      ...(status !== 503 && { isThrottled: true }),
    })

    it('reports its kind, address and components', () => {
      const page = open()
      assert.equal(page.kind, stage.kind)
      assert.equal(page.address, `${server.url}${stage.shownPath ?? stage.path}`)
      assert.equal(page.repeatEveryMs, stage.repeatEveryMs)
      assert.equal(page.covers('api'), true)
      assert.equal(page.covers('other'), stage.components === null)
    })

    it("takes every status, in the vendor's terms", async () => {
      const page = open()
      for (const status of statuses) {
        const notice = noticeOf({ status, sequence: ++sequence, previousStatus: 'degraded', incidentId: 'inc' })
        assert.deepEqual(await page.push(notice), { kind: 'accepted' })
        assert.equal(shown.get(stage.name), stage.shown[status])
      }
      assert.deepEqual(server.complaints, [])
    })

    it('sends nothing for a component that it does not have', async () => {
      if (stage.components === null) return
      const { length } = server.asked
      assert.equal((await open().push(noticeOf({ componentId: 'other' }))).kind, 'failed')
      assert.equal(server.asked.length, length)
    })

    it('fails if the vendor refuses the secret', async () => {
      const before = shown.get(stage.name)
      const outcome = await open(stage.wrong).push(noticeOf({ status: 'degraded', sequence: ++sequence }))
      assert.deepEqual(outcome, failedWith(`HTTP ${stage.wrongAnswer}`))
      assert.equal(shown.get(stage.name), before)
      assert.equal(server.complaints.splice(0).length, 1)
    })

    itForOne('fails if nobody listens or the name does not resolve', async () => {
      const gone = await StatusServer.open(stage.vendor(shown, clock))
      const { url } = gone
      await gone.close()
      assert.deepEqual(await open({}, longMs, url).push(noticeOf()), failedWith('not sent: ECONNREFUSED'))
      const nowhere = await open({}, longMs, 'http://nobody.invalid').push(noticeOf())
      assert.match(nowhere.kind === 'failed' ? nowhere.reason : '', /^not sent: (ENOTFOUND|EAI_AGAIN)$/)
    })

    itForOne('reports the outcome of a push without a response as unknown', async () => {
      const uncertain = (code: string) => ({ kind: 'uncertain', reason: `no response: ${code}` })
      const silent = (timeoutMs: number) => pushWith({ kind: 'silent' }, timeoutMs)
      assert.deepEqual(await inShort(silent, ({ kind }) => kind === 'failed'), uncertain('TIMEOUT'))
      assert.deepEqual(await pushWith({ kind: 'reset' }), uncertain('ECONNRESET'))
      assert.deepEqual(await pushWith({ kind: 'close' }), uncertain('ECONNRESET'))
      assert.deepEqual(await pushWith({ kind: 'lost-answer' }), uncertain('ECONNRESET'))
      const noHttp = await pushWith({ kind: 'raw', text: 'hello\r\n\r\n' })
      assert.match(noHttp.kind === 'uncertain' ? noHttp.reason : '', /^no response: HPE_/)
    })

    itForOne('reports the outcome of a push as unknown when a gateway answered', async () => {
      for (const status of [502, 504, 520, 521, 522, 523, 524])
        assert.deepEqual(await replied(status), { kind: 'uncertain', reason: `HTTP ${status}` })
    })

    itForOne('fails with every other status, and names nothing but the status', async () => {
      for (const status of [400, 401, 403, 404, 405, 415, 422, 500, 501, 503, 519, 525])
        assert.deepEqual(await replied(status), failedWith(`HTTP ${status}`))
    })

    itForOne('reads Retry-After', async () => {
      const after = (seconds: number) => new Date(clock.now() + seconds * 1000).toUTCString()
      const isStatuspage = stage.kind === 'statuspage'
      for (const status of isStatuspage ? [420, 429, 503] : [429, 503]) {
        assert.deepEqual(await replied(status), refusedWith(status))
        assert.deepEqual(await replied(status, { 'Retry-After': '7' }), refusedWith(status, 7_000))
        assert.deepEqual(await replied(status, { 'Retry-After': after(9) }), refusedWith(status, 9_000))
        assert.deepEqual(await replied(status, { 'Retry-After': after(-9) }), refusedWith(status))
      }
      for (const nonsense of [
        '',
        '-1',
        '1.5',
        'soon',
        '0x10',
        'Mon, 99 Foo 2026 00:00:00 GMT',
        'Mon Jun  1 12:00:09 2026 GMT',
      ])
        assert.deepEqual(await replied(429, { 'Retry-After': nonsense }), refusedWith(429))
      assert.deepEqual(await replied(500, { 'Retry-After': '7' }), failedWith('HTTP 500'))
      if (!isStatuspage) assert.deepEqual(await replied(420, { 'Retry-After': '7' }), failedWith('HTTP 420'))
    })

    itForOne('caps Retry-After at a day, and reads a date in each of its three forms', async () => {
      const [, day, month, year, time] = new Date(clock.now() + 9_000).toUTCString().split(' ')
      const weekday = ['Sun', 'Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur'][new Date(clock.now()).getUTCDay()]
      for (const date of [
        `${weekday?.slice(0, 3)}, ${day} ${month} ${year} ${time} GMT`,
        `${weekday}day, ${day}-${month}-${year?.slice(2)} ${time} GMT`,
        `${weekday?.slice(0, 3)} ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`,
      ])
        assert.deepEqual(await replied(429, { 'Retry-After': date }), refusedWith(429, 9_000), date)
      for (const long of ['86400', '86401', '1234567890', '9'.repeat(400), 'Fri, 01 Jan 9999 00:00:00 GMT'])
        assert.deepEqual(await replied(429, { 'Retry-After': long }), refusedWith(429, 86_400_000), long)
    })

    itForOne('follows no redirect', async () => {
      const other = await StatusServer.open(() => stage.success)
      for (const status of [301, 302, 303, 307, 308]) {
        assert.deepEqual(await replied(status, { Location: other.url }), failedWith(`HTTP ${status}`))
        assert.equal((await open().probe()).httpStatus, status)
      }
      assert.equal(other.sockets, 0)
      await other.close()
    })

    itForOne('takes the head as the response, whatever happens to the body', async () => {
      // Its body decides.
      const hasWords = stage.kind === 'uptime-kuma'
      const slow = (status: number) => (timeoutMs: number) => pushWith({ kind: 'slow', status }, timeoutMs)
      const { kind } = hasWords ? await inShort(slow(200), (it) => it.kind === 'failed') : await slow(200)(longMs)
      assert.equal(kind, hasWords ? 'uncertain' : 'accepted')
      const refused = hasWords ? await inShort(slow(500), (it) => it.kind === 'uncertain') : await slow(500)(longMs)
      assert.deepEqual(refused, failedWith('HTTP 500'))
    })

    itForOne('reads at most 64 KiB of an endless response, and closes the connection', async () => {
      server.sent = 0
      await pushWith({ kind: 'endless' })
      await server.emptied()
      const probe = await open().probe()
      await server.emptied()
      assert.equal(probe.body, 'a'.repeat(65_536))
      assert.equal(probe.error, null)
      // Of two times 100 MB: the kernel buffers some megabytes.
      assert.ok(server.sent < 60 * 1024 * 1024, String(server.sent))
    })

    itForOne('opens a connection for each push', async () => {
      const { sockets } = server
      const page = open()
      const reply = { ...stage.success, headers: { Connection: 'keep-alive', 'Keep-Alive': 'timeout=600' } }
      server.fault = { kind: 'reply', reply }
      for (let count = 1; count <= 3; count++)
        assert.deepEqual(await page.push(noticeOf({ sequence: ++sequence })), { kind: 'accepted' })
      assert.equal(server.sockets, sockets + 3)
      await server.emptied()
    })

    it('shows the response of the page, and never a secret', async () => {
      const before = server.complaints.length
      const probe = await open().probe()
      assert.equal(probe.url, `${server.url}${stage.probePath}`)
      assert.deepEqual([probe.reached, probe.error], [true, null])
      assert.match(String(probe.httpStatus), /^20\d$/)
      assert.equal(typeof probe.body, 'string')
      assert.equal(server.complaints.length, before)
      for (const times of [1, 200]) {
        server.fault = { kind: 'echo', times }
        assert.doesNotMatch(JSON.stringify(await open().probe()), /SECRET..|U0VDUkVU/)
      }
      assert.doesNotMatch(JSON.stringify(await pushWith({ kind: 'echo', status: 400 })), /SECRET/)
    })

    itForOne('shows why the page was not reached, and what arrived before a timeout', async () => {
      server.fault = { kind: 'silent' }
      const none = { reached: false, httpStatus: null, contentType: null, body: null }
      const { url, durationMs, ...silent } = await open({}, shortMs).probe()
      assert.deepEqual(silent, { ...none, error: 'TIMEOUT' })
      assert.deepEqual([url, durationMs], [`${server.url}${stage.probePath}`, 0])
      server.fault = { kind: 'slow' }
      const slow = await inShort(
        (timeoutMs) => open({}, timeoutMs).probe(),
        ({ body }) => !body,
      )
      assert.deepEqual([slow.reached, slow.error], [true, 'TIMEOUT'])
      assert.match(slow.body ?? '', /^a+$/)
    })

    it('aborts what is in flight when it is closed, and sends nothing afterwards', async () => {
      server.fault = { kind: 'silent' }
      const page = open()
      const { length } = server.asked
      const push = page.push(noticeOf())
      const probe = page.probe()
      await until(() => server.asked.length >= length + 2)
      await page.close()
      assert.deepEqual(await push, { kind: 'uncertain', reason: 'no response: CLOSED' })
      assert.equal((await probe).error, 'CLOSED')
      await server.emptied()
      assert.deepEqual(await page.push(noticeOf()), failedWith('not sent: CLOSED'))
      assert.equal((await page.probe()).error, 'CLOSED')
      assert.equal(server.asked.length, length + 2)
      await page.close()
    })
  })
}
