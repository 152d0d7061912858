import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTarget } from '../../../src/drivers/status-pages/open-target.ts'
import { atEnd } from '../../support/at-end.ts'
import { fakeClock } from '../../support/clock.ts'
import { StatusServer } from '../../support/status-servers.ts'
import { noticeOf } from './status-pages.contract.ts'

const settings = {
  BASE_URL: 'https://zoo.test',
  CONSOLE: true,
  STATUS_PAGE: 'on',
  STATUS_PAGE_COMPONENTS: ['web', 'api'].map((id) => ({ id, label: id })),
} as const

/** The link of a message about these components; null without one. */
async function linkIn(
  [id, ...others]: readonly [string, ...string[]],
  changed: Partial<Record<keyof typeof settings, unknown>> = {},
) {
  const server = await StatusServer.open(() => ({ status: 200 }))
  const target = {
    name: 'OPS',
    prefix: 'STATUS_TARGET_OPS',
    kind: 'slack',
    url: `${server.url}/services/T/B/x`,
    token: null,
    components: null,
  } as const
  const config = { ...settings, ...changed } as Parameters<typeof openTarget>[1]
  const page = openTarget(target as Parameters<typeof openTarget>[0], config, { clock: fakeClock(), source: 'test' })
  atEnd(() => page.close())
  await page.push(noticeOf({ componentId: id }), ...others.map((componentId) => noticeOf({ componentId })))
  const { text } = JSON.parse(server.asked[0]?.body ?? '{}')
  return /\nDetails: (.*)$/m.exec(text)?.[1] ?? null
}

describe('The link of an alert', () => {
  it('goes to the status page if that shows every component of the message', async () => {
    assert.equal(await linkIn(['web']), 'https://zoo.test/status')
    assert.equal(await linkIn(['web', 'api']), 'https://zoo.test/status')
  })

  it("goes to the component's page of the console otherwise, and to the list for several", async () => {
    assert.equal(await linkIn(['nightly backup']), 'https://zoo.test/console#/status/nightly%20backup')
    assert.equal(await linkIn(['web', 'backup']), 'https://zoo.test/console#/status')
    assert.equal(await linkIn(['web'], { STATUS_PAGE: 'off' }), 'https://zoo.test/console#/status/web')
  })

  it('is left out where neither is to be had, and without BASE_URL', async () => {
    assert.equal(await linkIn(['backup'], { CONSOLE: false }), null)
    assert.equal(await linkIn(['web', 'backup'], { CONSOLE: false }), 'https://zoo.test/status')
    assert.equal(await linkIn(['web'], { BASE_URL: null }), null)
  })
})
