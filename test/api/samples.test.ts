import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { kinds } from '../contract.ts'
import { password, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const picturesOf = (kind: string) => {
  const folder = new URL(`../../samples/${kind}`, import.meta.url)
  return existsSync(folder) ? readdirSync(folder).length : 0
}

test('an empty store is filled with the pictures in samples/, and a kind without pictures stays empty', async () => {
  const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, SAMPLE_IMAGES: 'true' }
  const service = await startService({ env })
  const { accessToken: token } = (await service.login('keeper')).body
  const logged = (text: string) => service.logged().find(({ msg }) => msg === text)
  await until(() => logged('filled the empty store with sample images'))
  const expected = kinds.map((kind) => [kind, picturesOf(kind)] as const)
  const found = async () => {
    const { body } = await service.request('GET', '/images', { token })
    return body.kinds.map(({ kind, count }: { kind: string; count: number }) => [kind, count])
  }
  const sum = (counts: readonly (readonly [string, number])[]) => counts.reduce((so, [, count]) => so + count, 0)
  await until(async () => sum(await found()) === sum(expected))
  assert.deepEqual(await found(), expected)
  assert.ok(picturesOf('fox') > 0)
})
