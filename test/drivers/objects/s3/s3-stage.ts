import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { openS3Store, type S3Options } from '../../../../src/drivers/objects/s3/s3.ts'
import { type S3Times, s3Times } from '../../../../src/drivers/objects/s3/times.ts'
import type { ObjectReading, ObjectStore } from '../../../../src/images/object-store.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { Unavailable } from '../../../../src/lib/unavailable.ts'
import { atEnd } from '../../../support/at-end.ts'
import { freePort } from '../../../support/free-port.ts'
import { ScriptedS3 } from '../../../support/scripted-s3.ts'
import { testFolder } from '../../../support/test-folder.ts'

export const bucket = 'pool'
export const place = { bucket, name: 'fox/a.png' }

/** For tests of timeouts. Everywhere else the usual times apply, since a busy machine is slow. */
export const shortTimes = {
  waitMs: 300,
  connectMs: 300,
  firstByteMs: 300,
  probeFirstByteMs: 200,
  idleMs: 300,
  breakerOpenMs: 100,
}

export async function openStore(
  endpoint: string,
  { times, ...more }: Omit<Partial<S3Options>, 'times'> & { times?: Partial<S3Times> } = {},
) {
  const folder = testFolder()
  const store = await openS3Store({
    endpoint,
    region: 'us-east-1',
    accessKeyId: 'key',
    secretAccessKey: 'secret-words-nobody-sees',
    sessionToken: null,
    pathStyle: true,
    temporaryFolder: folder,
    clock: systemClock,
    times: { ...s3Times, ...times },
    ...more,
  })
  atEnd(async () => {
    await store.close()
  })
  return { store, folder: folder }
}

export async function* pieces(...all: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield Buffer.from(piece)
}

export { until } from '../../../support/until.ts'

/** A server that speaks no HTTP. Returns its port. */
export async function listening(meet: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const port = await freePort()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    meet(socket)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return port
}

export const small = Buffer.alloc(300_000, 'fox')

/** A scripted store that has an object, and our store that uses it. */
export async function stage(more = {}, bytes = small) {
  const s3 = await ScriptedS3.open(bucket)
  s3.put(bucket, place.name, bytes, { type: 'image/png' })
  return { s3, ...(await openStore(s3.endpoint, more)) }
}

export async function opened(store: ObjectStore, signal?: AbortSignal): Promise<ObjectReading> {
  const reading = await store.read(place, signal)
  assert.ok(reading !== null)
  return reading
}

export const whole = async (store: ObjectStore) => (await opened(store)).whole()

export async function inChunks(store: ObjectStore) {
  const all: Uint8Array[] = []
  for await (const piece of (await opened(store)).chunks()) all.push(piece)
  return Buffer.concat(all)
}

export const outcomeOf = (act: Promise<unknown>) =>
  act.then(
    () => null,
    (error: unknown) => error,
  )

export const isUnavailable = (error: unknown) => error instanceof Unavailable && error.part === 'the object store'
export const isNonsense = (error: unknown) => error instanceof Error && !(error instanceof Unavailable)
