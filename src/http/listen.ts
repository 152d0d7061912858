import { lookup } from 'node:dns/promises'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from '../lib/logger.ts'
import { onClientError, onConnect } from './client-error.ts'
import { closeIdle } from './idle.ts'
import { limits } from './limits.ts'
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

const sweepMs = 100
const lookupMs = 1_000

/** Listens on every address that the host name has here: `localhost` is 127.0.0.1 and ::1. */
export async function listen(service: Service, { host, port }: ListenAddress): Promise<Listening> {
  const addresses = await addressesOf(host)
  const servers: Server[] = []
  const bound: string[] = []
  let actualPort = port
  for (const address of addresses) {
    const server = createNodeServer(service)
    try {
      actualPort = await bind(server, address, actualPort, service.options.logs.log)
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
    async close(graceMs) {
      service.stop()
      await Promise.all(servers.map((server) => closeServer(server, graceMs)))
    },
  }
}

/** A resolver that does not answer must not hold up the end of a start that cannot succeed. */
async function addressesOf(host: string): Promise<string[]> {
  // Both by RFC 6761, whatever this machine's table of hosts says of the name.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const late = Promise.withResolvers<never>()
  const error = Object.assign(new Error(`${host} was not looked up in time`), { code: 'EAI_AGAIN' })
  const timer = setTimeout(() => late.reject(error), lookupMs)
  try {
    const found = await Promise.race([lookup(host, { all: true }), late.promise])
    return [...new Set(found.map(({ address }) => address))]
  } finally {
    clearTimeout(timer)
  }
}

function createNodeServer(service: Service): Server {
  const server = createServer({
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    // closeIdle does it.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: limits.headBytes,
    requireHostHeader: false,
    // A request without a body needs no stream that ends: 0.35 µs of it.
    optimizeEmptyRequests: true,
  })
  server.maxHeadersCount = 0
  server.on('request', service.handle)
  server.on('checkContinue', service.handle)
  server.on('checkExpectation', service.handle)
  server.on('connect', (req, socket) => void onConnect(service.options, req, socket))
  server.on('clientError', (error, socket) => onClientError(service.options, error, socket))
  const sockets = socketsOf(server)
  spareUntaken(server, sockets)
  closeIdle(server, sockets)
  return server
}

function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/**
 * To Node a connection is idle once its answer was handed over, taken or not, and closing the idle ones cuts such
 * an answer off. So none is closed while there is one whose client has not taken all of it.
 */
function spareUntaken(server: Server, sockets: ReadonlySet<Socket>): void {
  const { closeIdleConnections } = server
  server.closeIdleConnections = () => {
    if (![...sockets].some(({ writableLength }) => writableLength > 0)) closeIdleConnections.call(server)
  }
}

function bind(server: Server, host: string, port: number, log: Logger): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject)
      // A connection that could not be taken, for want of descriptors, is that client's loss alone.
      server.on('error', (error) => log.error({ err: error }, 'a connection was not taken'))
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
    // This closes the idle connections too, and the sweep those that become idle from now on.
    server.close(() => {
      clearTimeout(force)
      clearInterval(sweep)
      resolve()
    })
  })
}

/** A machine without IPv6 still has a localhost. */
const isMissingFamily = (error: unknown) =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))
