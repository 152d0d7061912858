import { Socket } from 'node:net'
import { lookupOnce } from '../../lib/lookup-once.ts'

/** For node-postgres, which connects by port and host or by the path of a socket. */
export function postgresSocket(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  return Object.assign(socket, {
    connect: (where: number | string, host?: string) =>
      host === undefined ? connect(String(where)) : connect({ port: Number(where), host, lookup: lookupOnce }),
  })
}
