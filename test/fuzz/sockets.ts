import { once } from 'node:events'
import { connect } from 'node:net'
import { ambiguousChunks, ambiguousHeads } from '../http/ambiguous-heads.ts'
import { chunked, head } from '../http/wire.ts'
import { seededRandom } from '../support/uniform.ts'
import { inTime } from '../support/until.ts'

const json = { 'Content-Type': 'application/json' }
const text = '{"username":"a","password":"correct horse"}'
const samples: readonly string[] = [
  ...[...ambiguousHeads, ...ambiguousChunks].map(({ bytes }) => bytes),
  head('GET', '/health'),
  head('GET', '/status.json', { Range: 'bytes=0-9', 'If-None-Match': '"a"' }),
  head('POST', '/auth/login', { ...json, 'Content-Length': text.length }) + text,
  head('POST', '/auth/login', { ...json, 'Transfer-Encoding': 'chunked' }) + chunked('{"username":', '"a"}'),
  `${head('POST', '/heartbeat/a/operational', { 'Content-Type': 'text/plain', 'Content-Length': 2 })}ok`,
  head('GET', `/health?${'a'.repeat(20_000)}`),
  head('GET', '/health', { 'X-Long': 'a'.repeat(70_000) }),
]
const inserted = ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', ':', '\xff', '0\r\n\r\n', 'ffffffff\r\n', '\x16\x03\x01']

/** Sends broken bytes on connections of their own until the time is over. Returns how many, and what was wrong. */
export async function fuzzSockets(ports: readonly number[], { seconds, seed }: { seconds: number; seed: number }) {
  const random = seededRandom(seed)
  const whole = (below: number) => Math.floor(random() * below)
  const oneOf = <T>(values: readonly T[]) => values[whole(values.length)] as T
  const findings: string[] = []
  let count = 0
  let answered = 0

  function mutated(): string {
    let bytes = Array.from({ length: 1 + whole(3) }, () => oneOf(samples)).join('')
    for (let times = whole(4); times > 0; times--) {
      const at = whole(bytes.length)
      const skipped = random() < 0.4 ? whole(8) : 0
      bytes = bytes.slice(0, at) + (random() < 0.7 ? oneOf(inserted) : '') + bytes.slice(at + skipped)
    }
    return random() < 0.2 ? bytes.slice(0, whole(bytes.length)) : bytes
  }

  for (const until = Date.now() + seconds * 1000; Date.now() < until || count < ports.length; count++) {
    const bytes = mutated()
    const port = ports[count % ports.length] as number
    const received = await exchanged(port, bytes)
    if (received !== '') answered++
    const problem = problemOf(received)
    if (problem) findings.push(`${problem}, for ${JSON.stringify(bytes.slice(0, 3000))} to port ${port}`)
  }
  return { count, answered, findings }
}

/** Everything that comes back after the bytes and the end of the sending side. */
async function exchanged(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const over = Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => {})
  socket.on('error', () => {})
  socket.end(Buffer.from(bytes, 'latin1'))
  try {
    await inTime(over, () => `the end of a connection, after: ${JSON.stringify(bytes.slice(0, 3000))}`)
  } finally {
    socket.destroy()
  }
  return Buffer.concat(chunks).toString('latin1')
}

/** Null if it is a row of complete HTTP responses below 500, or nothing. */
export function problemOf(received: string): string | null {
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(first)?.[1])
    if (end < 0 || !status || !lines.every((line) => /^[\w-]+: [^\r\n\0]*$/.test(line)))
      return `not a response: ${JSON.stringify(rest.slice(0, 500))}`
    if (status >= 500) return `${status}: ${rest.slice(end, end + 300)}`
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.split(': ')[1] ?? '']),
    )
    rest = rest.slice(end + 4)
    if (status < 200 || status === 304) continue
    if (headers.get('transfer-encoding') === 'chunked') {
      const last = /(?:^|\r\n)0\r\n\r\n/.exec(rest)
      if (!last) return 'an incomplete chunked response'
      rest = rest.slice(last.index + last[0].length)
      continue
    }
    const length = Number(headers.get('content-length') ?? 0)
    if (rest.length < length) return `an incomplete response: ${rest.length} of ${length} bytes`
    rest = rest.slice(length)
  }
  return null
}
