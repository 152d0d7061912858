import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAllowedHosts, hostsOf } from '../../src/lib/allowed-hosts.ts'

const isAllowed = createAllowedHosts(['Named.example.org', ...hostsOf('https://base.example.org:8443/x', null)])

describe('A Host', () => {
  const own = ['', 'localhost', 'LOCALHOST:3001', 'localhost.', 'worker', 'worker:80', '127.0.0.1', '203.0.113.9:1']
  const domains = ['a.localhost', 'mac.local:3000', 'api.internal', 'api.prod.svc', 'api.prod.svc.cluster.local.']
  const named = ['named.example.org', 'NAMED.EXAMPLE.ORG.:3000', 'base.example.org']
  for (const host of [...own, '[::1]', '[::1]:3001', '[::ffff:127.0.0.1]', ...domains, ...named])
    it(`is allowed: "${host}"`, () => assert.equal(isAllowed(host, '/metrics'), true))

  const foreign = ['evil.example', 'evil.example:3001', 'base.example.org.evil.example', 'x.named.example.org']
  const odd = ['localhost@evil.example', 'evil.example#.local', 'evil.example/.local', 'a b.local', '[evil.example]']
  const near = ['evillocal.example', 'localhost.evil.example', '127.0.0.1.evil.example', '[::1].evil.example', '127.1']
  for (const host of [...foreign, ...odd, ...near, 'evil.example:80:90', 'localhost:evil.example'])
    it(`is foreign: "${host}"`, () => assert.equal(isAllowed(host, '/metrics'), false))

  it('may be absent', () => assert.equal(isAllowed(undefined, '/metrics'), true))

  it('is checked in the request target too, and both must be allowed', () => {
    assert.equal(isAllowed('localhost', 'http://localhost:3000/metrics'), true)
    assert.equal(isAllowed('localhost', 'http://evil.example/metrics'), false)
    assert.equal(isAllowed('evil.example', 'http://localhost/metrics'), false)
    assert.equal(isAllowed('localhost', 'HTTP://localhost@evil.example?x'), false)
    assert.equal(isAllowed('localhost', '*'), true)
  })
})
