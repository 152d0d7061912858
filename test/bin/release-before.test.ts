import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { highLimits } from '../support/limits.ts'
import { checkOutReleaseBefore, releaseBeforeSkip } from '../support/release-before.ts'
import { stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { Running } from './processes.ts'

const program = 'src/bin/start.ts'
const now = join(import.meta.dirname, '../..', program)

async function post(url: string, body: object, token = ''): Promise<{ accessToken: string }> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.ok(response.ok, `${url}: ${response.status}`)
  return (await response.json()) as { accessToken: string }
}

const accountOf = (username: string) => ({ username, password: `the password of ${username}` })

for (const store of stores) {
  describe(`The previous release, on the schema of this one in ${store.name}`, {
    skip: releaseBeforeSkip || store.skip,
  }, () => {
    it('starts after a rollback, uses what this one wrote, and leaves it usable', async () => {
      const { env: place } = await store.make()
      const env = { ...highLimits, ...place, JWT_SECRET: 'the secret of both of these releases' }
      const use = async ({ url, workerUrl }: Running, mine: string, theirs: readonly string[]) => {
        await until(async () => (await fetch(`${url}/ready`)).ok, 'the API to be ready')
        const { accessToken } = await post(`${url}/auth/register`, accountOf(mine))
        await post(`${workerUrl}/heartbeat/${mine}`, { status: 'operational' })
        for (const name of theirs) await post(`${url}/auth/login`, accountOf(name))
        const { components } = (await (await fetch(`${workerUrl}/components`)).json()) as {
          components: { componentId: string }[]
        }
        for (const name of theirs) assert.ok(components.some(({ componentId }) => componentId === name))
        const { password } = accountOf(mine)
        await post(`${url}/auth/password`, { currentPassword: password, newPassword: password }, accessToken)
      }
      const before = join(checkOutReleaseBefore(), program)
      const names: string[] = []
      for (const [name, file] of Object.entries({ ann: now, bob: before, cem: now })) {
        const command = [process.execPath, file] as const
        const running = await Running.listening('start', { dataDir: place.DATA_DIR ?? '', env, command })
        await use(running, name, names)
        running.child.kill('SIGTERM')
        assert.equal((await running.ended).code, 0)
        names.push(name)
      }
    })
  })
}
