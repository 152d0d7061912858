import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { networkOf } from '../../src/lib/address.ts'
import { startService, type TestService } from '../support/service.ts'
import { ofTheContract, told } from './stage.ts'

describe('The client address is', () => {
  let direct: TestService
  let proxied: TestService
  before(async () => {
    direct = await startService({ env: { ...ofTheContract } })
    proxied = await startService({ env: { ...ofTheContract, TRUST_PROXY: 'loopback, 192.0.2.0/24' } })
  })

  const left = async (service: TestService, headers: Record<string, string>) =>
    Number(told(await service.request('GET', '/', { headers })).remaining)

  it('the address of the connection if no proxy is trusted, whatever the headers say', async () => {
    const headers = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip']
    const first = await left(direct, {})
    for (const [index, name] of headers.entries())
      assert.equal(
        await left(direct, { [name]: name === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9' }),
        first - 1 - index,
        name,
      )
  })

  it('the right-most one that was not written by a trusted proxy', async () => {
    const from = (list: string) => left(proxied, { 'x-forwarded-for': list })
    assert.equal(await from('203.0.113.1'), 999)
    assert.equal(await from('198.51.100.7, 203.0.113.1'), 998)
    assert.equal(await from('198.51.100.8, 203.0.113.1, 192.0.2.5, 127.0.0.1'), 997)
    assert.equal(
      await from('203.0.113.1, nonsense, 192.0.2.6'),
      999,
      'what is no address ends the walk at the last good one',
    )
    assert.equal(await from('nonsense, 192.0.2.6'), 998)
  })

  it('the same in every spelling: IPv4 mapped to IPv6, and all of a /64', async () => {
    const from = (list: string) => left(proxied, { 'x-forwarded-for': list })
    const spellings = [
      ...['203.0.113.77', '::ffff:203.0.113.77', '::FFFF:203.0.113.77', '::ffff:cb00:714d'],
      ...['0:0:0:0:0:ffff:203.0.113.77'],
    ]
    for (const [index, spelling] of spellings.entries()) assert.equal(await from(spelling), 999 - index, spelling)
    const neighbours = [
      ...'2001:db8:7::1 2001:DB8:7:0::2 2001:0db8:0007:0000:ffff:ffff:ffff:ffff 2001:db8:7:0:1:2:3.4.5.6'.split(' '),
    ]
    for (const [index, neighbour] of neighbours.entries()) assert.equal(await from(neighbour), 999 - index, neighbour)
    assert.equal(await from('2001:db8:7:1::1'), 999)
  })
})

describe('networkOf', () => {
  it('returns one text per network, for any prefix length', () => {
    const cases = [
      ['203.0.113.7', 64, '203.0.113.7'],
      ['::ffff:203.0.113.7', 64, '203.0.113.7'],
      ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
      ['2001:db8:1:2ff:3:4:5:6', 56, '2001:db8:1:200::/56'],
      ['2001:db8::1', 128, '2001:db8:0:0:0:0:0:1/128'],
      ['fe80::1%eth0', 64, 'fe80::/64'],
      ['::1', 64, '::/64'],
      ['ffff::', 1, '8000::/1'],
    ] as const
    for (const [address, prefix, text] of cases) assert.equal(networkOf(address, prefix), text)
  })
})
