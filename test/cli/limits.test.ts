import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { redisSkip, redisUrl } from '../support/redis.ts'
import { startService, type TestService } from '../support/service.ts'
import { toolHere, toolJson } from './tool.ts'

interface Shown {
  scope: string
  subject: string
  used: number
  pending: number
  limit: number
  remaining: number | null
  resetAt: string | null
}

/* Counters stay on the server until their window ends, so every test uses new addresses and names. */
const newIpv4 = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
const newName = () => `Nobody-${randomBytes(6).toString('hex')}`
const group = () => randomInt(0x1000, 0x10000).toString(16)

const addressScopes = ['global', 'auth', 'register', 'login_address', 'embed_address']

describe('limits over Redis', { skip: redisSkip }, () => {
  const env = { REDIS_URL: redisUrl ?? '' }
  let service: TestService

  before(async () => {
    service = await startService({ env: { ...env, TRUST_PROXY: 'loopback', RATE_LIMIT_LOGIN_NAME_MAX: '2' } })
  })

  const ask = (address: string, path = '/nowhere') =>
    service.request('GET', path, { headers: { 'x-forwarded-for': address } })
  const guess = async (username: string, address = newIpv4()) => {
    const headers = { 'x-forwarded-for': address }
    return (await service.request('POST', '/auth/login', { headers, body: { username, password: 'wrong' } })).status
  }
  const show = async (who: string, more: Record<string, string> = {}): Promise<Shown[]> =>
    (await toolJson({ ...env, ...more }, ['limits', 'show', who])).limits
  const usedBy = async (who: string, more: Record<string, string> = {}) =>
    Object.fromEntries((await show(who, more)).map(({ scope, used }) => [scope, used]))

  it('shows how much of each limit an address has used', async () => {
    const address = newIpv4()
    for (const path of ['/nowhere', '/nowhere', '/auth/nowhere']) await ask(address, path)
    const [global, auth, register] = await show(address)
    const { resetAt, ...rest } = global as Shown
    assert.deepEqual(rest, {
      scope: 'global',
      subject: address,
      used: 3,
      pending: 0,
      limit: 1000,
      remaining: 997,
    })
    const endsIn = Date.parse(String(resetAt)) - Date.now()
    assert.ok(endsIn > 0 && endsIn <= 120_000, String(resetAt))
    assert.deepEqual([auth?.used, auth?.remaining], [1, 49])
    assert.deepEqual([register?.used, register?.remaining, register?.resetAt], [0, 3, null])
  })

  it('prints a table', async () => {
    const address = newIpv4()
    await ask(address)
    const { code, stdout } = await toolHere(env, ['limits', 'show', address])
    assert.equal(code, 0)
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    assert.match(heading ?? '', /^SCOPE +SUBJECT +USED +PENDING +LIMIT +LEFT +WINDOW ENDS$/)
    assert.match(lines[0] ?? '', /^global +10[\d.]+ +1 +0 +1000 +999 +20\d\d-[\d-]+T[\d:.]+Z, in \d+ s$/)
    assert.match(lines[1] ?? '', /^auth +10[\d.]+ +0 +0 +50 +50 +no window$/)
  })

  it('counts every spelling of an address as one', async () => {
    const address = newIpv4()
    await ask(address)
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const mapped = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    for (const spelling of [address, `::ffff:${address}`, `::FFFF:${mapped}`, `0:0:0:0:0:ffff:${address}`])
      assert.equal((await usedBy(spelling)).global, 1, spelling)

    const [x, y] = [group(), group()]
    await ask(`2001:db8:${x}:${y}::7`)
    for (const spelling of [
      `2001:db8:${x}:${y}::7`,
      `2001:0DB8:${x.toUpperCase()}:${y}:0:0:0:7`,
      `2001:db8:${x}:${y}::192.0.2.1`,
      `2001:db8:${x}:${y}:ffff:ffff:ffff:ffff%eth0`,
    ]) {
      const [global] = await show(spelling)
      assert.deepEqual([global?.subject, global?.used], [`2001:db8:${x}:${y}::/64`, 1], spelling)
    }
    assert.equal((await usedBy(`2001:db8:${x}:${y}::7`, { RATE_LIMIT_IPV6_PREFIX: '128' })).global, 0)
  })

  it('shows and resets a username in any case, effective with the next request', async () => {
    const name = newName()
    assert.deepEqual([await guess(name), await guess(name.toLowerCase()), await guess(name)], [401, 401, 429])
    const [limit, ...others] = await show(name.toUpperCase(), { RATE_LIMIT_LOGIN_NAME_MAX: '2' })
    assert.deepEqual([limit?.scope, limit?.subject, limit?.used], ['login_name', name.toLowerCase(), 2])
    assert.deepEqual([limit?.remaining, others], [0, []])

    const { code, stdout } = await toolHere(env, ['limits', 'reset', name.toUpperCase()])
    assert.deepEqual([code, stdout], [0, `Reset login_name of ${name.toLowerCase()}: 1 counter.\n`])
    assert.deepEqual(await usedBy(name), { login_name: 0 })
    assert.equal(await guess(name), 401)
  })

  it('resets an address in all its limits, and no other', async () => {
    const [address, other, name] = [newIpv4(), newIpv4(), newName()]
    await guess(name, address)
    await ask(other)
    assert.deepEqual(await usedBy(address), {
      global: 1,
      auth: 1,
      register: 0,
      login_address: 1,
      login_name: 0,
      embed_address: 0,
    })
    const { reset } = await toolJson(env, ['limits', 'reset', `::ffff:${address}`])
    assert.deepEqual(reset, [{ subject: address, scopes: addressScopes, counters: 3 }])
    assert.deepEqual(Object.values(await usedBy(address)), [0, 0, 0, 0, 0, 0])
    assert.equal((await usedBy(other)).global, 1)
    assert.equal((await usedBy(name)).login_name, 1)
  })

  it('treats an argument that may be an address or a name as both', async () => {
    const both = newIpv4()
    await guess(both, both)
    const document = await toolJson(env, ['limits', 'show', both])
    assert.deepEqual([document.address, document.name], [both, both])
    assert.deepEqual(
      document.limits.map(({ scope, used }: Shown) => [scope, used]),
      [
        ['global', 1],
        ['auth', 1],
        ['register', 0],
        ['login_address', 1],
        ['login_name', 1],
        ['embed_address', 0],
      ],
    )
    const { stdout } = await toolHere(env, ['limits', 'reset', both])
    assert.equal(
      stdout,
      `Reset ${addressScopes.join(', ')} of ${both}: 3 counters.\nReset login_name of ${both}: 1 counter.\n`,
    )
    assert.deepEqual(Object.values(await usedBy(both)), [0, 0, 0, 0, 0, 0])
  })

  it('shows and resets the reports of a user by the id', async () => {
    const { id, accessToken: token } = await service.register(newName())
    await service.request('POST', '/images/report', { token, body: { name: 'fox/none.png', reason: 'x' } })
    assert.deepEqual(await usedBy(id.toUpperCase()), { report: 1 })
    const { stdout } = await toolHere(env, ['limits', 'reset', id])
    assert.equal(stdout, `Reset report of ${id}: 1 counter.\n`)
    assert.deepEqual(await usedBy(id), { report: 0 })
  })

  it('shows which limits are disabled', async () => {
    const who = newIpv4()
    const off = { RATE_LIMIT_AUTH_MAX: '0' }
    const { stdout } = await toolHere({ ...env, ...off }, ['limits', 'show', who])
    assert.match(stdout, /^auth +10[\d.]+ +off$/m)
    const auth = (await show(who, off)).find(({ scope }) => scope === 'auth')
    assert.deepEqual([auth?.limit, auth?.remaining], [0, null])
  })

  it('succeeds if there is nothing to reset', async () => {
    const name = newName().toLowerCase()
    const { code, stdout } = await toolHere(env, ['limits', 'reset', name])
    assert.deepEqual([code, stdout], [0, `Reset login_name of ${name}: 0 counters.\n`])
  })

  it('reports a refusing server in one line, without the secrets of its URL', async () => {
    const url = Object.assign(new URL(redisUrl ?? ''), { username: 'someone', password: 'hunter2' })
    await failsInOneLine({ REDIS_URL: url.href }, /^REDIS_URL: [A-Z]+ [^;]*\n$/)
  })

  it('does not ask whether a server is running that says that its database does not exist', async () => {
    const url = Object.assign(new URL(redisUrl ?? ''), { pathname: '/1000000' })
    await failsInOneLine({ REDIS_URL: url.href }, /^REDIS_URL: ERR DB index is out of range\n$/)
  })
})

const isAway = /; check that Redis is running there\n$/

async function failsInOneLine(env: Record<string, string>, expected: RegExp) {
  const verbs = ['show', 'reset']
  for (const { code, stdout, stderr } of await Promise.all(
    verbs.map((verb) => toolHere(env, ['limits', verb, 'somebody'])),
  )) {
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, /^REDIS_URL: .*\n$/)
    assert.match(stderr, expected)
    assert.doesNotMatch(stderr, /hunter2/)
  }
}

describe('limits without Redis', () => {
  it('says that the counters cannot be accessed, and what resets them', async () => {
    for (const verb of ['show', 'reset']) {
      const { code, stdout, stderr } = await toolHere({}, ['limits', verb, 'somebody'])
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, /^REDIS_URL is not set: .* Restart .*\n$/)
    }
  })

  it('treats what is neither an address nor a name as wrong usage, whatever is set', async () => {
    for (const who of [
      'ab',
      'a b',
      '',
      '10.0.0.0/8',
      '[::1]',
      '2001:db8::g',
      `\u001b[31m${'x'.repeat(200)}`,
      'ö'.repeat(8),
    ])
      for (const verb of ['show', 'reset']) {
        const { code, stdout, stderr } = await toolHere({}, ['limits', verb, who])
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, who)
        assert.match(stderr, /^".*": expected an IP address, the id of a user, or a username: 3 to 32 .*\n$/)
        assert.ok(!stderr.includes('\u001b'))
      }
    for (const args of [['limits'], ['limits', 'show'], ['limits', 'reset', 'alice', 'bob']])
      assert.equal((await toolHere({}, args)).code, 2)
  })

  it('reports an unreachable server in one line', async () => {
    await failsInOneLine({ REDIS_URL: `redis://:hunter2@127.0.0.1:${await freePort()}` }, isAway)
  })

  it('reports an unresponsive server in one line', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await failsInOneLine({ REDIS_URL: `redis://:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}` }, isAway)
    server.close()
  })

  it('says in its help what a reset affects, and that it is not audited', async () => {
    const { code, stdout } = await toolHere({ PORT: 'bad' }, ['limits', 'reset', '--help'])
    assert.equal(code, 0)
    assert.match(stdout, /Running instances see a reset with their next request/)
    assert.match(stdout, /audit does not record it/)
    assert.match(stdout, /Exit codes: 0 success/)
    assert.match((await toolHere({}, ['limits', 'show', '--help'])).stdout, /disabled/)
  })
})
