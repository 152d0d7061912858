import { createHmac, hash } from 'node:crypto'
import type { Clock } from '../../../lib/clock.ts'
import type { S3Address } from './address.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** The SHA-256 of no body. Others are not hashed: the ETag of an upload proves its bytes. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** AWS Signature, version 4: the headers of a request, names and values alternating, with Host. */
export function createSigner(region: string, credentials: S3Credentials | null, clock: Clock) {
  if (credentials === null) return (_method: string, { host }: S3Address): string[] => ['host', host]
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const tokenLine = sessionToken === null ? '' : `x-amz-security-token:${sessionToken}\n`
  const signed = `host;x-amz-content-sha256;x-amz-date${sessionToken === null ? '' : ';x-amz-security-token'}`

  let second = Number.NaN
  let stamp = ''
  let day = ''
  let scope = ''
  let key = Buffer.alloc(0)

  function moveTo(now: number) {
    second = now
    stamp = `${new Date(now * 1000).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`
    if (stamp.startsWith(day) && day !== '') return
    day = stamp.slice(0, 8)
    scope = `${day}/${region}/s3/aws4_request`
    key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3'), 'aws4_request')
  }

  return (method: string, { host, path }: S3Address, query = '', hasBody = false): string[] => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) moveTo(now)
    const bodyHash = hasBody ? 'UNSIGNED-PAYLOAD' : emptyHash
    const canonical = `${method}\n${path}\n${query}\nhost:${host}\nx-amz-content-sha256:${bodyHash}\nx-amz-date:${stamp}\n${tokenLine}\n${signed}\n${bodyHash}`
    const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hash('sha256', canonical)}`
    const signature = createHmac('sha256', key).update(toSign).digest('hex')
    const headers = [
      'host',
      host,
      'x-amz-content-sha256',
      bodyHash,
      'x-amz-date',
      stamp,
      'authorization',
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    ]
    if (sessionToken !== null) headers.push('x-amz-security-token', sessionToken)
    return headers
  }
}

export type Sign = ReturnType<typeof createSigner>
