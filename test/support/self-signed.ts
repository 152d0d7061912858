import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** A certificate for 127.0.0.1 that nobody trusts, generated each time so that no key is in the sources. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(hex('06 08 2a8648ce3d040302'))
  const commonName = hex('06 03 550403')
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('a test')))))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const subjectAltName = sequence(hex('06 03 551d11'), der(0x04, sequence(hex('87 04 7f000001'))))
  const body = sequence(
    der(0xa0, hex('02 01 02')),
    hex('02 01 01'),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  )
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey))
  const lines = sequence(body, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
