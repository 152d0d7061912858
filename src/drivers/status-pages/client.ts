import type { Socket } from 'node:net'
import { type Answer, type Exchange, exchange, type HttpRequest } from './exchange.ts'

export interface Client {
  /** Ends in time whatever happens, and never rejects. */
  ask(request: HttpRequest): Promise<Answer>
  /** What is under way ends, and its sockets are gone. */
  close(): Promise<void>
}

export const timeoutMs = 5_000
/** When all components change at once, a page that hangs must not cost a socket for each. */
const mostAtOnce = 16

interface Job {
  begin(): void
  stop(code: string): void
}

/** `limitMs` counts from the asking: the wait for a place, the name, the connection, and the answer. */
export function openClient(limitMs: number = timeoutMs): Client {
  const running = new Set<Job>()
  const waiting = new Set<Job>()
  const sockets = new Set<Socket>()
  let isClosed = false

  function onSocket(socket: Socket) {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }

  function beginNext() {
    const [next] = waiting
    if (next !== undefined && running.size < mostAtOnce) next.begin()
  }

  async function ask(request: HttpRequest): Promise<Answer> {
    if (isClosed) return { kind: 'unsent', code: 'CLOSED' }
    const { promise, resolve } = Promise.withResolvers<Answer>()
    // Begun in its last moment, it would be sent and given up at once, and nobody would know what became of it.
    const latestStart = performance.now() + limitMs * 0.8
    let current: Exchange | null = null
    const job: Job = {
      begin() {
        waiting.delete(job)
        if (performance.now() > latestStart) return resolve({ kind: 'unsent', code: 'TIMEOUT' })
        running.add(job)
        current = exchange(request, onSocket)
        void current.answer.then(resolve)
      },
      stop(code) {
        if (current === null) resolve({ kind: 'unsent', code })
        else current.stop(code)
      },
    }
    const timer = setTimeout(() => job.stop('TIMEOUT'), limitMs)
    waiting.add(job)
    beginNext()
    const answer = await promise
    clearTimeout(timer)
    waiting.delete(job)
    running.delete(job)
    beginNext()
    return answer
  }

  return {
    ask,
    async close() {
      isClosed = true
      const closing = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const job of [...waiting, ...running]) job.stop('CLOSED')
      await Promise.all(closing)
    },
  }
}
