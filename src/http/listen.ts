import { lookup } from 'node:dns/promises'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onClientError } from './client-error.ts'
import { createServer } from './node-http.ts'
import type { Service } from './service.ts'

export interface Listening {
  readonly port: number
  readonly addresses: readonly string[]
  /** Takes no new connection, lets what is under way finish, and cuts off what has not by `graceMs`. */
  close(graceMs: number): Promise<void>
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
} as const

/** Listens on every address that the host name has here: `localhost` is 127.0.0.1 and ::1. */
export async function listen(service: Service, { host, port }: ListenAddress): Promise<Listening> {
  const addresses = [...new Set((await lookup(host, { all: true })).map(({ address }) => address))]
  const servers: Server[] = []
  const bound: string[] = []
  let actualPort = port
  for (const address of addresses) {
    const server = createNodeServer(service)
    try {
      actualPort = await bind(server, address, actualPort)
      servers.push(server)
      bound.push(address)
    } catch (error) {
      if (addresses.length > 1 && isMissingFamily(error)) continue
      await Promise.all(servers.map((open) => closeServer(open, 0)))
      throw error
    }
  }
  if (servers.length === 0) throw Object.assign(new Error('no address to listen on'), { code: 'EADDRNOTAVAIL' })
  return {
    port: actualPort,
    addresses: bound,
    close: async (graceMs) => void (await Promise.all(servers.map((server) => closeServer(server, graceMs)))),
  }
}

function createNodeServer(service: Service): Server {
  const server = createServer({
    ...timeouts,
    maxHeaderSize: 16_384,
    requireHostHeader: false,
    keepAliveTimeoutBuffer: 0,
  })
  server.maxHeadersCount = 0
  const handle = (req: IncomingMessage, res: Parameters<Service['handle']>[1]) => {
    if (!server.listening) res.shouldKeepAlive = false
    service.handle(req, res)
  }
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('clientError', (error, socket) => onClientError(service.options, error, socket))
  return server
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** A machine without IPv6 still has a localhost. */
const isMissingFamily = (error: unknown) =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))
