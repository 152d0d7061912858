import { lookup } from 'node:dns/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import { bounds } from './bounds.ts'
import { onClientError, onConnect } from './client-error.ts'
import { type Connections, closeIdle, createConnections } from './connections.ts'
import { createServer } from './node-http.ts'
import { isPrepared } from './node-internals.ts'
import { addPending } from './pending-responses.ts'
import type { Service } from './service.ts'
import { closeServers } from './shutdown.ts'

export interface Listening {
  readonly port: number
  readonly addresses: readonly string[]
  /** Shuts down gracefully (shutdown.ts); after `graceMs`, by force. */
  close(graceMs: number): Promise<void>
}

const lookupMs = 1_000
/** Max connections that the kernel queues until the process accepts them. */
const backlog = 1_024
const idle = { everyMs: 4_000, idleMs: bounds.idleMs }

/** Listens on every address that the host name resolves to: `localhost` is 127.0.0.1 and ::1. */
export async function listen(service: Service, { host, port }: { host: string; port: number }): Promise<Listening> {
  const addresses = await addressesOf(host)
  const servers: Server[] = []
  const bound: string[] = []
  const connections = createConnections()
  let actualPort = port
  for (const address of addresses) {
    const server = createNodeServer(service, connections)
    try {
      actualPort = await bind(server, address, actualPort, service.options.logs.log)
      servers.push(server)
      bound.push(address)
    } catch (error) {
      if (addresses.length > 1 && isMissingFamily(error)) continue
      for (const open of servers) open.close()
      throw error
    }
  }
  if (!isPrepared())
    service.options.logs.log.warn(
      { node: process.version },
      'this version of Node is not supported by the fast path for response heads: requests take about 20 % more CPU',
    )
  if (servers.length === 0) throw Object.assign(new Error('no address to listen on'), { code: 'EADDRNOTAVAIL' })
  const stopIdling = closeIdle(connections.open, idle)
  return {
    port: actualPort,
    addresses: bound,
    async close(graceMs) {
      stopIdling()
      await closeServers(servers, connections, service, graceMs)
    },
  }
}

/** Has a timeout: an unresponsive resolver must not delay the failure of a start. */
async function addressesOf(host: string): Promise<string[]> {
  // RFC 6761, whatever /etc/hosts says.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const found = await withTimeout(lookup(host, { all: true }), lookupMs, () => {
    throw Object.assign(new Error(`${host} was not resolved within ${lookupMs} ms`), { code: 'EAI_AGAIN' })
  })
  return [...new Set(found.map(({ address }) => address))]
}

function createNodeServer(service: Service, connections: Connections): Server {
  const server = createServer({
    headersTimeout: bounds.headMs,
    requestTimeout: bounds.requestMs,
    // closeIdle does this.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: bounds.headBytes,
    requireHostHeader: false,
    // Saves 0.35 µs for a request without a body.
    optimizeEmptyRequests: true,
  })
  server.maxHeadersCount = 0
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    if (addPending(res)) service.handle(req, res)
  }
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('connect', (req, socket) => void onConnect(service.options, req, socket))
  server.on('clientError', (error, socket) => onClientError(service.options, error, socket))
  server.on('connection', connections.add)
  return server
}

function bind(server: Server, host: string, port: number, log: Logger): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject)
      // For example out of file descriptors: only that client is affected.
      server.on('error', (error) => log.error({ err: error }, 'cannot accept a connection'))
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Lets `localhost` work on a machine without IPv6. */
const isMissingFamily = (error: unknown) =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))
