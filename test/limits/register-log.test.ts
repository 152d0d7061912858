import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'
import { aName, clientOf, ofTheContract, places } from './stage.ts'

for (const place of places) {
  describe(`The first delayed or refused registration of an address, counted ${place.name}`, {
    skip: place.skip,
  }, () => {
    it('is logged once per window, and no other request is', async () => {
      const clock = fakeClock()
      const env = { ...ofTheContract, ...place.env, TRUST_PROXY: 'loopback', RATE_LIMIT_REGISTER_SLOW_STEP_MS: '1' }
      const service = await startService({ env, overrides: { clock } })
      const [one, other] = [clientOf(service), clientOf(service)]
      const logged = ({ address }: typeof one) =>
        service
          .logged()
          .flatMap((line) =>
            line.address === address && /^registration (delayed|refused)/.test(String(line.msg)) ? [line.msg] : [],
          )
      const delayed = 'registration delayed: see RATE_LIMIT_REGISTER_SLOW_AFTER'
      await one.ask('GET', '/')
      await one.register(aName())
      assert.deepEqual(logged(one), [])
      for (let index = 0; index < 4; index++) await one.register(aName())
      assert.deepEqual([logged(one), logged(other)], [[delayed], []])
      await other.register(aName())
      await other.register(aName())
      assert.deepEqual(logged(other), [delayed])
      if (place.name === 'over Redis') return
      clock.advance(3_600_001)
      for (let index = 0; index < 2; index++) await one.register(aName())
      assert.deepEqual(logged(one), [delayed, delayed])
    })
  })
}

describe('A registration that is refused without having been delayed', () => {
  it('is logged with the setting of the limit that refuses it', async () => {
    const env = { ...ofTheContract, TRUST_PROXY: 'loopback', RATE_LIMIT_AUTH_MAX: '1' }
    const service = await startService({ env })
    const client = clientOf(service)
    for (let index = 0; index < 3; index++) await client.register('!')
    const lines = service.logged().filter(({ msg }) => /^registration /.test(String(msg)))
    assert.deepEqual(
      lines.map(({ address, msg }) => [address, msg]),
      [[client.address, 'registration refused: see RATE_LIMIT_AUTH_MAX']],
    )
  })
})
