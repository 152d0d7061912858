import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clientAddress, parseNetworks, plainAddress } from '../../src/lib/address.ts'
import { assertProperty } from '../support/seed.ts'
import { startService } from '../support/service.ts'

const proxies = parseNetworks('loopback, 10.0.0.0/8, 2001:db8::/32')

describe('The client address', () => {
  for (const [title, socket, forwarded, expected] of [
    ['is the socket’s without a header', '127.0.0.1', undefined, '127.0.0.1'],
    ['is the socket’s if that is not a trusted proxy', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is what the trusted proxy says', '127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['is the right-most untrusted one', '127.0.0.1', '203.0.113.9, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['is not what the client wrote in front', '127.0.0.1', '127.0.0.1, 10.0.0.1, 198.51.100.7', '198.51.100.7'],
    ['is the left-most if all are trusted', '127.0.0.1', '10.9.9.9,10.1.1.1', '10.9.9.9'],
    ['ends at the last good entry before a bad one', '127.0.0.1', '198.51.100.7, nonsense, 10.1.2.3', '10.1.2.3'],
    ['ends at an empty entry', '127.0.0.1', '198.51.100.7,,10.1.2.3', '10.1.2.3'],
    ['ends at an entry with a port', '127.0.0.1', '198.51.100.7:1234', '127.0.0.1'],
    ['ends at an entry in brackets', '127.0.0.1', '[2001:db8::1]', '127.0.0.1'],
    ['ends at a number', '127.0.0.1', '3232235777', '127.0.0.1'],
    ['ends at an address with leading zeros', '127.0.0.1', '198.051.100.007', '127.0.0.1'],
    ['is the socket’s with an empty header', '127.0.0.1', '', '127.0.0.1'],
    ['is IPv4 when it is written as IPv6', '::ffff:127.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['is IPv4 in capitals too', '127.0.0.1', '::FFFF:198.51.100.7', '198.51.100.7'],
    ['is IPv4 in hexadecimal too', '127.0.0.1', '::ffff:c633:6407', '198.51.100.7'],
    ['is IPv4 with all its zeros too', '127.0.0.1', '0:0:0:0:0:ffff:198.51.100.7', '198.51.100.7'],
    ['skips a trusted proxy in any spelling', '127.0.0.1', '198.51.100.7, ::ffff:a01:203', '198.51.100.7'],
    ['has one spelling in IPv6', '::1', '2001:0DB9:0:0::0001', '2001:db9::1'],
    ['skips a trusted network in IPv6', '2001:db8::5', '198.51.100.7, 2001:DB8::9', '198.51.100.7'],
    ['has no zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['is empty if the socket is closed', '', '198.51.100.7', ''],
  ] as const) {
    it(`${title}: ${socket || '(none)'}, ${JSON.stringify(forwarded)}`, () => {
      assert.equal(clientAddress(socket, forwarded, proxies), expected)
    })
  }

  it('is that of the socket if no proxy is trusted, whatever the header says', () => {
    assertProperty(fc.property(fc.string(), (header) => clientAddress('127.0.0.1', header, null) === '127.0.0.1'))
  })

  it('cannot be forged in front of what the proxy appends', () => {
    assertProperty(
      fc.property(fc.string(), fc.ipV4(), (forged, real) => {
        fc.pre(!proxies.has(real))
        return clientAddress('127.0.0.1', `${forged}, ${real}`, proxies) === real
      }),
    )
  })

  it('is in the log: behind TRUST_PROXY the forwarded one, else that of the socket', async () => {
    for (const [env, expected] of [
      [{}, '127.0.0.1'],
      [{ TRUST_PROXY: 'loopback' }, '198.51.100.7'],
      [{ TRUST_PROXY: '10.0.0.0/8' }, '127.0.0.1'],
    ] as const) {
      const service = await startService({ env })
      const headers = {
        'x-forwarded-for': '203.0.113.1, 198.51.100.7',
        forwarded: 'for=203.0.113.2',
        'x-real-ip': '203.0.113.3',
      }
      await service.request('GET', '/health', { headers })
      assert.equal(service.logged().findLast(({ path }) => path === '/health')?.address, expected)
      assert.doesNotMatch(JSON.stringify(service.logged()), /203\.0\.113/)
    }
  })
})

describe('A list of networks', () => {
  for (const text of [
    ...['1', 'true', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/8x', '::1/129', 'localhost'],
    ...['10.0.0', '10.0.0.0/08.0', '010.0.0.1', '10.0.0.0 /8', '[::1]'],
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseNetworks(text), /is not an IP address or CIDR/)
      assert.throws(() => parseNetworks(`127.0.0.1, ${text}`), /is not an IP address or CIDR/)
    })
  }

  it('accepts single addresses, networks of both families, and one word for both loopback addresses', () => {
    const networks = parseNetworks(' 192.0.2.1 ,10.0.0.5/8, fd00::/8,loopback')
    for (const inside of ['192.0.2.1', '10.255.0.1', 'fd12::1', '127.9.9.9', '::1'])
      assert.ok(networks.has(inside), inside)
    for (const outside of ['192.0.2.2', '11.0.0.1', 'fe00::1', '128.0.0.1', '::2', '', 'nonsense'])
      assert.ok(!networks.has(outside), outside)
    assert.deepEqual(networks.cidrs, ['192.0.2.1', '10.0.0.5/8', 'fd00::/8', '127.0.0.0/8', '::1'])
  })

  it('can contain every address', () => {
    assert.ok(parseNetworks('0.0.0.0/0').has('198.51.100.7') && parseNetworks('::/0').has('2001:db8::1'))
  })
})

describe('An address from the system', () => {
  it('is normalised: IPv4 as IPv4, and without a zone', () => {
    assert.deepEqual(['::ffff:1.2.3.4', '::1', '1.2.3.4', 'fe80::1%3', ''].map(plainAddress), [
      ...['1.2.3.4', '::1', '1.2.3.4', 'fe80::1', ''],
    ])
  })
})
