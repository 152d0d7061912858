import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { kinds } from '../contract.ts'
import { fakeClock } from '../support/clock.ts'
import { answerOf, cast, mayNotAccess } from '../support/people.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const clock = fakeClock()

for (const store of stores)
  describe(`GET /admin/service, ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store, {
      env: {
        PORT: '3999',
        S3_BUCKET: 'pictures',
        IMAGE_KINDS_EXTRA: 'cat',
        UPLOAD_MAX_BYTES: '1000',
        UPLOAD_STRIP_METADATA: 'true',
        PASSWORD_MIN_LENGTH: '12',
        STATUS_PAGE: 'off',
        RATE_LIMIT_REPORT_MAX: '1',
        RATE_LIMIT_REPORT_WINDOW_SECONDS: '60',
        RATE_LIMIT_EMBED_LINK_MAX: '0',
      },
      overrides: { clock },
    })

    it('shows administrators what is installed, and what each rate limit has refused since the start', async () => {
      const { admin, owner, support, moderator, user } = await cast(stage)
      const { service } = stage
      const get = (token: string) => service.request('GET', '/admin/service', { token })
      for (const { accessToken } of [support, moderator, user])
        assert.deepEqual(answerOf(await get(accessToken)), mayNotAccess)
      const report = () =>
        service.request('POST', '/images/report', {
          token: user.accessToken,
          body: { name: 'fox/none.png', reason: 'None' },
        })
      assert.deepEqual([(await report()).status, (await report()).status, (await report()).status], [404, 429, 429])
      const { token: limited } = await keyOf(user.accessToken)
      const withKey = () => service.request('GET', '/images', { headers: { 'x-api-key': limited } })
      assert.deepEqual([(await withKey()).status, (await withKey()).status], [200, 429])
      const before = (await get(owner.accessToken)).body
      clock.advance(1_500)
      const { status, headers, body } = await get(admin.accessToken)
      assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
      assert.equal(Math.round((body.uptimeSeconds - before.uptimeSeconds) * 1000), 1_500)
      const { limits, disk, uptimeSeconds: _, ...rest } = body
      assert.ok(disk.freeBytes > 0 && disk.freeBytes < disk.totalBytes, JSON.stringify(disk))
      assert.deepEqual(rest, {
        status: 200,
        version,
        instance: `api-${hostname()}-3999`,
        bucket: 'pictures',
        kinds: [...kinds, 'cat'],
        uploads: { maxBytes: 1000, imagesOnly: false, checkType: false, stripMetadata: true },
        registration: 'open',
        passwordMinLength: 12,
        statusWorker: false,
        statusPage: false,
      })
      const of = (scope: string) => limits.find((each: { scope: string }) => each.scope === scope)
      assert.deepEqual(of('report'), { scope: 'report', max: 1, windowSeconds: 60, refused: 2 })
      assert.deepEqual(of('key'), { scope: 'key', max: null, windowSeconds: 60, refused: 1 })
      assert.deepEqual([of('embed_link').max, of('global').refused], [0, 0])
      const metrics = (await service.request('GET', '/metrics')).text
      for (const { scope, refused } of limits)
        assert.ok(metrics.includes(`menagerie_rate_limit_refused_total{scope="${scope}"} ${refused}\n`), scope)
    })

    const keyOf = async (token: string): Promise<{ token: string }> => {
      const body = { name: 'frame', scopes: ['images'], limitPerMinute: 1 }
      return { token: (await stage.service.request('POST', '/auth/keys', { token, body })).body.key }
    }
  })
