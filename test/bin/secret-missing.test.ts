import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { owner } from '../support/killed-service.ts'
import { send } from '../support/send.ts'
import { testFolder } from '../support/test-folder.ts'
import { Running } from './processes.ts'

const env = { OWNER_USERNAME: owner.username, OWNER_PASSWORD: owner.password }

describe('A start whose jwt-secret is missing', () => {
  it('makes another one, logs a warning once if there are accounts, and ends every token; a login gives a new one', async () => {
    const dataDir = testFolder()
    const secret = join(dataDir, 'jwt-secret')
    const run = async (act: (running: Running) => Promise<void>) => {
      const running = await Running.listening('api', { dataDir, env })
      await act(running)
      running.child.kill('SIGTERM')
      assert.equal((await running.ended).code, 0)
      await running.closed
      return running.out.split('\n').filter((line) => line.includes('jwt-secret'))
    }
    const login = async ({ url }: Running): Promise<string> => {
      const { status, body } = await send('POST', `${url}/auth/login`, { body: owner })
      assert.equal(status, 200)
      return body.accessToken
    }
    const me = ({ url }: Running, authorization: string) =>
      send('GET', `${url}/auth/me`, { headers: { authorization } }).then(({ status }) => status)

    let token = ''
    const atFirst = await run(async (running) => {
      token = await login(running)
    })
    assert.deepEqual(atFirst, [], 'a first start has nothing to warn of')
    const before = readFileSync(secret, 'utf8')
    rmSync(secret)

    const said = await run(async (running) => {
      assert.equal(await me(running, token), 401)
      token = await login(running)
      assert.equal(await me(running, token), 200)
    })
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', /"level":"warn".*jwt-secret was missing .*: all earlier tokens are invalid/)
    assert.notEqual(readFileSync(secret, 'utf8'), before)
    assert.equal(statSync(secret).mode & 0o777, 0o600)

    const later = await run(async (running) => assert.equal(await me(running, token), 200))
    assert.deepEqual(later, [])
  })
})
