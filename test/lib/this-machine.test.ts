import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isFromThisMachine } from '../../src/lib/this-machine.ts'

describe('A request made on this machine', () => {
  const host = 'localhost:3000'
  const is = (address: string | undefined, headers: Record<string, string>, target = '/console') =>
    isFromThisMachine({ socket: { remoteAddress: address }, headers, url: target, httpVersion: '1.1' })

  it('comes over loopback, to localhost or a loopback address', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      assert.ok(is(address, { host }), address)
    for (const name of ['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.1.2.3', '[::1]', '[::1]:3000'])
      assert.ok(is('::1', { host: name, accept: '*/*' }), name)
  })

  it('does not come from another address, or to another name', () => {
    for (const address of ['10.0.0.1', '192.168.0.1', '::ffff:10.0.0.1', 'fe80::1%lo', '', undefined])
      assert.ok(!is(address, { host }), String(address))
    for (const name of [
      'example.org',
      'localhost.example.org',
      'a.localhost',
      'localhost.',
      '10.0.0.1',
      '[::2]',
      'x@localhost',
      '',
      ' localhost',
    ])
      assert.ok(!is('127.0.0.1', { host: name }), name)
    assert.ok(!is('127.0.0.1', {}))
    assert.ok(!is('127.0.0.1', { host }, 'http://example.org/console'))
  })

  it('has no header that a proxy adds, not even an empty one', () => {
    for (const name of 'x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded forwarded via x-real-ip x-client-ip true-client-ip cf-connecting-ip x-original-forwarded-for x-envoy-external-address forwarded-for x-forward-for x-remote-addr remote-addr x_forwarded_for x-scheme x-host x-amzn-trace-id x-azure-clientip proxy-client-ip wl-proxy-client-ip fly-client-ip cdn-loop tailscale-user-login front-end-https'.split(
      ' ',
    ))
      for (const value of ['127.0.0.1', '']) assert.ok(!is('127.0.0.1', { host, [name]: value }), name)
    assert.ok(is('127.0.0.1', { host, 'x-menagerie-console': '1' }))
  })

  it('is not of HTTP/1.0, as nginx proxies by default, to the name of its upstream and without a header', () => {
    const sent = { socket: { remoteAddress: '127.0.0.1' }, headers: { host }, url: '/console' }
    assert.ok(isFromThisMachine({ ...sent, httpVersion: '1.1' }))
    assert.ok(!isFromThisMachine({ ...sent, httpVersion: '1.0' }))
  })
})
