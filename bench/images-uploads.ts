import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Gate } from './figures.ts'
import { bucket, kind } from './images-pool.ts'
import { startStore } from './images-servers.ts'
import { ownerSettings, signInOwner } from './people.ts'
import { settledMb, watchMemory } from './proc.ts'
import { type Server, startApi } from './server.ts'

const uploads = 50
const uploadBytes = 20 * 1024 * 1024
const pieceBytes = 256 * 1024
const mostMoreMb = 64
const mostMs = 120_000

const bytes = Buffer.alloc(uploadBytes, 'menagerie')
const md5 = createHash('md5').update(bytes).digest('hex')

interface Uploaded {
  readonly grownMb: number
  readonly refused: number
}

/** Many concurrent uploads of the maximum size; each accepted one is stored with the right MD5. */
export async function benchUploads({ folder }: { readonly folder: string }): Promise<Gate[]> {
  const env = ownerSettings
  const toFolder = await measure(await startApi(folder, env))
  const store = await startStore(folder, { listed: 0 })
  const toStore = await startApi(folder, { ...env, ...store.s3 })
    .then((server) => measure(server))
    .finally(() => store.stop())
  const gate = (where: string, { grownMb, refused }: Uploaded): Gate => ({
    promise: `${uploads} uploads of 20 MB at a time ${where} take at most ${mostMoreMb} MB`,
    figure: `${grownMb.toFixed(1)} MB${refused > 0 ? `, ${refused} were refused` : ''}`,
    held: grownMb <= mostMoreMb && refused === 0,
  })
  return [gate('into the folder', toFolder), gate('to S3', toStore)]
}

/** Stops the server, too; `beforeStop` still finds it running. */
export async function measure(server: Server, beforeStop: () => Promise<unknown> = async () => {}): Promise<Uploaded> {
  try {
    const token = await signInOwner(server.port)
    await settledMb(server.pid)
    const memory = watchMemory(server.pid)
    const all = Array.from({ length: uploads }, (_, index) => upload(server.port, token, `${kind}/up-${index}.jpg`))
    const taken = await Promise.all(all).catch((error) => {
      memory.stop()
      throw error
    })
    return { grownMb: memory.stop(), refused: taken.filter((isTaken) => !isTaken).length }
  } finally {
    await beforeStop()
    await server.stop()
  }
}

/** False if refused; throws if what was stored is not what was sent. */
async function upload(port: number, token: string, name: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  const timer = setTimeout(() => socket.destroy(new Error(`${name} was not taken within ${mostMs} ms`)), mostMs)
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  // A refused upload is cut off while it is being sent.
  socket.on('error', () => {})
  const path = `/admin/s3/upload?bucketName=${bucket}&objectName=${encodeURIComponent(name)}`
  const headers = `Authorization: ${token}\r\nContent-Type: image/jpeg\r\nContent-Length: ${uploadBytes}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n${headers}\r\n\r\n`)
  for (let from = 0; from < uploadBytes && !socket.destroyed; from += pieceBytes)
    if (!socket.write(bytes.subarray(from, from + pieceBytes))) await Promise.race([drained(socket), closed])
  await closed
  clearTimeout(timer)
  const isTaken = answer.startsWith('HTTP/1.1 200 ')
  if (isTaken && !answer.includes(md5)) throw new Error(`the upload of ${name} was answered ${answer.slice(0, 500)}`)
  return isTaken
}

const drained = (socket: Socket) => new Promise((resolve) => socket.once('drain', resolve))
