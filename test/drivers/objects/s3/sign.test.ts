import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAddressing, encodeKey, encodeQuery } from '../../../../src/drivers/objects/s3/address.ts'
import { createSigner, type S3Credentials } from '../../../../src/drivers/objects/s3/sign.ts'
import { fakeClock } from '../../../support/clock.ts'

const credentials: S3Credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}

const signatureOf = (headers: readonly string[]) =>
  /Signature=([0-9a-f]{64})$/.exec(headerOf(headers, 'authorization') ?? '')?.[1]

function headerOf(headers: readonly string[], name: string): string | undefined {
  const index = headers.indexOf(name)
  return index === -1 ? undefined : headers[index + 1]
}

const at = (endpoint: string, pathStyle: boolean, key: string, bucket = 'pool') =>
  createAddressing(endpoint, pathStyle)(bucket, key)

describe('A signature', () => {
  // Made with the signer of the AWS SDK for the same moment.
  it('equals that of other signers', () => {
    const sign = createSigner('us-east-1', credentials, fakeClock())
    const headers = sign('GET', at('https://s3.example.org', true, 'fox/a.png'))
    assert.equal(signatureOf(headers), 'f56a10c6e3d5cce36fe8d1e6151497e9981e0ac505322e71487f423a81df2f4d')
    assert.equal(headerOf(headers, 'x-amz-date'), '20260601T120000Z')
    assert.match(
      headerOf(headers, 'authorization') ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20260601\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, /,
    )
  })

  it('covers the method, the port and the region', () => {
    const sign = createSigner('eu-central-1', credentials, fakeClock())
    const address = at('http://s3.example.org:9000', true, 'fox/a.png')
    const expected = 'd7c7d99f0c6b50b1689b6a6b0bbf445ca500c9b9ff135782ce1a544e868f9cae'
    assert.equal(signatureOf(sign('HEAD', address)), expected)
    assert.notEqual(signatureOf(sign('GET', address)), expected)
  })

  it('covers a query, and marks a body as unsigned', () => {
    const sign = createSigner('us-east-1', credentials, fakeClock())
    const query = encodeQuery({
      'list-type': '2',
      prefix: 'fox/ü +*',
      delimiter: '/',
      'encoding-type': 'url',
      'continuation-token': 'a/b==',
      'max-keys': '1',
    })
    assert.equal(
      signatureOf(sign('GET', at('https://s3.example.org', true, ''), query)),
      'dbdbd7e764c655925bb05817cc3d0fc4b9b68f08438778641d77bef4fffa07d3',
    )
    const headers = sign('PUT', at('https://s3.example.org', true, 'fox/a.png'), '', true)
    assert.equal(headerOf(headers, 'x-amz-content-sha256'), 'UNSIGNED-PAYLOAD')
    assert.equal(signatureOf(headers), '1f38fee8aa83689db2afcedcfa5f105dc04932217287dccae5816a8bd811f7d5')
  })

  it('covers a session token, a host-style bucket, and unusual characters', () => {
    const sessionToken = 'a+session/token=='
    const sign = createSigner('garage', { ...credentials, sessionToken }, fakeClock())
    const headers = sign('GET', at('https://s3.example.org', false, "a b+c!'()*/ü/~-_..png"))
    assert.equal(signatureOf(headers), '5dac224bf76b1ceaecc6419b933e53d9fe7a5de5a32af395ca752a3f734f58b1')
    assert.equal(headerOf(headers, 'host'), 'pool.s3.example.org')
    assert.equal(headerOf(headers, 'x-amz-security-token'), sessionToken)
  })

  it('follows the clock past midnight', () => {
    const clock = fakeClock(Date.parse('2026-05-31T23:59:59.999Z'))
    const sign = createSigner('us-east-1', credentials, clock)
    const address = at('https://s3.example.org', true, 'fox/a.png')
    assert.equal(headerOf(sign('GET', address), 'x-amz-date'), '20260531T235959Z')
    clock.advance(1)
    assert.match(headerOf(sign('GET', address), 'authorization') ?? '', /\/20260601\/us-east-1\//)
    clock.advance(43_200_000)
    assert.equal(signatureOf(sign('GET', address)), 'f56a10c6e3d5cce36fe8d1e6151497e9981e0ac505322e71487f423a81df2f4d')
  })

  it('is absent without credentials', () => {
    const sign = createSigner('us-east-1', null, fakeClock())
    assert.deepEqual(sign('GET', at('https://s3.example.org', true, 'a')), ['host', 's3.example.org'])
  })

  it('never shows the secret', () => {
    const sign = createSigner('us-east-1', credentials, fakeClock())
    const headers = sign('GET', at('https://s3.example.org', true, 'a')).join('\n')
    assert.ok(!headers.includes(credentials.secretAccessKey))
  })
})

describe('An address', () => {
  it('has the bucket in the path, or in the host', () => {
    assert.deepEqual(at('http://s3.example.org:9000', true, 'fox/a.png'), {
      origin: 'http://s3.example.org:9000',
      host: 's3.example.org:9000',
      path: '/pool/fox/a.png',
    })
    assert.deepEqual(at('http://s3.example.org:9000', false, 'fox/a.png'), {
      origin: 'http://pool.s3.example.org:9000',
      host: 'pool.s3.example.org:9000',
      path: '/fox/a.png',
    })
  })

  it('keeps the path of the endpoint before it, and leaves out the port of the scheme', () => {
    assert.equal(at('https://example.org:443/storage/', true, 'a').path, '/storage/pool/a')
    assert.equal(at('https://example.org:443/storage/', true, 'a').host, 'example.org')
    assert.equal(at('https://example.org/storage', false, 'a').path, '/storage/a')
  })

  it('has the bucket in the path if a host name cannot have it', () => {
    assert.equal(at('http://127.0.0.1:9000', false, 'a').path, '/pool/a')
    assert.equal(at('http://[::1]:9000', false, 'a').host, '[::1]:9000')
    assert.equal(at('https://s3.example.org', false, 'a', 'my.pool').path, '/my.pool/a')
    assert.equal(at('http://s3.example.org', false, 'a', 'my.pool').host, 'my.pool.s3.example.org')
  })

  it('escapes every byte of a key that is not unreserved', () => {
    assert.equal(encodeKey('fox/a-b_c.d~e9.png'), 'fox/a-b_c.d~e9.png')
    assert.equal(encodeKey("!'()*"), '%21%27%28%29%2A')
    assert.equal(
      encodeKey('a b+c%2F?#&=@:$,;"<>[]{}|^`'),
      'a%20b%2Bc%252F%3F%23%26%3D%40%3A%24%2C%3B%22%3C%3E%5B%5D%7B%7D%7C%5E%60',
    )
    assert.equal(encodeKey('日本/😀'), '%E6%97%A5%E6%9C%AC/%F0%9F%98%80')
  })
})
