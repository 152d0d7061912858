import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { highLimits } from '../support/limits.ts'
import { isFullSize } from '../support/size.ts'
import { stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { Running } from './processes.ts'

const root = join(import.meta.dirname, '../..')
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
/** The newest that is named. 0.1 has none: it refuses every newer schema. */
const commit = /^## \d+\.\d+\.\d+ \((?:unreleased; since )?([0-9a-f]{7,40})\)$/m.exec(changelog)?.[1]
const program = 'src/bin/start.ts'
const now = join(root, program)
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, maxBuffer: 2 ** 30 })
const skip = isFullSize ? whyNot() : 'in npm run test:all'

function whyNot(): string | false {
  if (commit === undefined) throw new Error('CHANGELOG.md names no commit of a release')
  if (git('cat-file', '-e', `${commit}^{commit}`).status === 0) return false
  const why = `the history has no commit ${commit}, of the release before`
  if (process.env.CI) throw new Error(`${why}, and in CI this may not be skipped`)
  return why
}

function checkOut(): string {
  const folder = testFolder()
  const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: git('archive', commit ?? '').stdout })
  assert.equal(status, 0, String(stderr))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function post(url: string, body: object, token = ''): Promise<{ accessToken: string }> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.ok(response.ok, `${url}: ${response.status}`)
  return (await response.json()) as { accessToken: string }
}

const accountOf = (username: string) => ({ username, password: `the password of ${username}` })

for (const store of stores) {
  describe(`The release before, on the schema of this one in ${store.name}`, { skip: skip || store.skip }, () => {
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
      const before = join(checkOut(), program)
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
