import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { atEnd } from './at-end.ts'

const neverAccepts = `
  const { createServer } = require('node:net')
  const { parentPort, workerData: port } = require('node:worker_threads')
  createServer().listen({ port, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage('listening')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
/** The kernel queues one connection more than the backlog, and drops the packets of any others. */
const places = 2

/**
 * For a port without a listener: connections are neither accepted nor refused until the result is called, at the latest
 * at the end of the test. The worker would keep the process of a failed test alive.
 */
export async function dropConnections(port: number): Promise<() => Promise<void>> {
  const worker = new Worker(neverAccepts, { eval: true, workerData: port })
  const sockets: Socket[] = []
  const accept = atEnd(async () => {
    await worker.terminate()
    for (const socket of sockets) socket.destroy()
  })
  await once(worker, 'message')
  for (let place = 0; place < places; place++) sockets.push(connect({ port, host: '127.0.0.1' }).on('error', () => {}))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return accept
}
