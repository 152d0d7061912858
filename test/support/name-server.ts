import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'
import { testFolder } from './test-folder.ts'

/** unknown: there is no such name. failing: its authoritative server is unreachable. silent: queries get no reply. */
export type Naming = 'known' | 'unknown' | 'failing' | 'silent'

const codes = { known: 0, unknown: 3, failing: 2 } as const
const headBytes = 12
const typeA = 1

/** A DNS server that resolves every name to this machine, unless told otherwise. */
export async function startNameServer() {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.53`
  const socket = createSocket('udp4')
  const namings = new Map<string, Naming>()
  let queries = 0
  socket.on('message', (query, from) => {
    queries++
    const { name, type, end } = questionOf(query)
    const naming = namings.get(name) ?? 'known'
    if (naming !== 'silent') socket.send(replyTo(query.subarray(0, end), type, codes[naming]), from.port, from.address)
  })
  socket.bind(53, address)
  await once(socket, 'listening')
  const file = join(testFolder(), 'resolv.conf')
  writeFileSync(file, `nameserver ${address}\n`)
  return {
    /** Runs a command so that it alone uses this server. */
    runBy: [
      'unshare',
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      `mount --bind ${file} /etc/resolv.conf && exec "$@"`,
      'sh',
    ],
    queries: () => queries,
    be(naming: Naming, ...names: readonly string[]) {
      for (const name of names) namings.set(name, naming)
    },
    close: atEnd(() => socket.close()),
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = headBytes
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function replyTo(question: Buffer, type: number, code: number): Buffer {
  const isAnswered = code === 0 && type === typeA
  const head = Buffer.from(question.subarray(0, headBytes))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(isAnswered ? 1 : 0, 6)
  head.fill(0, 8)
  // The name of the question, A, IN, TTL 0, four bytes.
  const answer = [0xc0, headBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]
  return Buffer.concat([head, question.subarray(headBytes), Buffer.from(isAnswered ? answer : [])])
}
