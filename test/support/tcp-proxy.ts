import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd } from './at-end.ts'
import { dropConnections } from './dropped-packets.ts'
import { atLeast } from './until.ts'

export type Link =
  | 'open'
  /** Ends new connections at once. */
  | 'ending'
  /** Resets new and existing connections. */
  | 'resetting'
  /** Forwards and closes nothing; pending data continues once it is open again. */
  | 'silent'
  /** Delays each piece, in both directions. */
  | { readonly delayMs: number }
  /** Sends everything in pieces of this many bytes. */
  | { readonly pieceBytes: number }

/**
 * Node 26 and older cannot reset a socket while it is being shut down: its handle would never be closed, and the process
 * would spin at its end. `destroy` closes it.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else socket.resetAndDestroy()
}

/** A proxy in front of the server at that URL. For small messages: it has no backpressure. */
export async function startTcpProxy(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let link: Link = 'open'
  let change = Promise.withResolvers<void>()
  let tries = 0

  const forward = async (from: Socket, to: Socket) => {
    try {
      for await (const bytes of from as AsyncIterable<Buffer>) {
        while (link === 'silent') await change.promise
        if (typeof link === 'object' && 'delayMs' in link) await atLeast(link.delayMs)
        const size = typeof link === 'object' && 'pieceBytes' in link ? link.pieceBytes : bytes.length
        for (let at = 0; at < bytes.length; at += size) to.write(bytes.subarray(at, at + size))
      }
      to.end()
    } catch {
      reset(to)
    }
  }

  const server = createServer({ noDelay: true }, (near) => {
    tries++
    near.on('error', () => {})
    if (link === 'ending') return near.destroy()
    if (link === 'resetting') return reset(near)
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true }).on('error', () => {})
    for (const socket of [near, far]) sockets.add(socket.once('close', () => sockets.delete(socket)))
    void forward(near, far)
    void forward(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const be = (next: Link) => {
    link = next
    change.resolve()
    change = Promise.withResolvers()
    if (link === 'resetting') for (const socket of sockets) reset(socket)
  }
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    tries: () => tries,
    be,
    /** Neither accepts nor refuses new connections until the result is called; existing ones continue. */
    async dropNew() {
      server.close()
      const accept = await dropConnections(port)
      return async () => {
        await accept()
        await once(server.listen(port, '127.0.0.1'), 'listening')
      }
    },
    close: atEnd(() => {
      be('resetting')
      server.close()
    }),
  }
}

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>
