import { Agent, errors, request } from 'undici'

export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly token?: string
  readonly body?: object
}

export interface Load {
  readonly count: number
  /** Requests without a response, or with a 4xx or 5xx. */
  readonly failed: readonly string[]
  readonly slowestMs: number
  /** Resolves when the last one is answered. */
  stop(): Promise<void>
}

const tickMs = 10

export interface LoadSpec {
  readonly url: string
  readonly perSecond: number
  readonly next: (index: number) => Sent
  /** False: a connection for each, so that none is sent while the balancer closes an idle one. */
  readonly isKeptAlive: boolean
}

/** Sends so many requests a second whether the ones before are answered or not. */
export function startLoad({ url, perSecond, next, isKeptAlive }: LoadSpec): Load {
  const dispatcher = new Agent({ connections: 128, pipelining: isKeptAlive ? 1 : 0 })
  const failed: string[] = []
  const pending = new Set<Promise<void>>()
  const startedAt = performance.now()
  let count = 0
  let slowestMs = 0
  /** Between two of its turns: of this process, and so perhaps of the machine. */
  let longestPauseMs = 0

  const send = async ({ method, path, token, body }: Sent) => {
    const sentAt = performance.now()
    try {
      const reply = await request(url + path, {
        dispatcher,
        method,
        body: body ? JSON.stringify(body) : null,
        headers: { ...(token && { authorization: token }), ...(body && { 'content-type': 'application/json' }) },
      })
      const text = await reply.body.text()
      if (reply.statusCode >= 400) failed.push(`${method} ${path}: ${reply.statusCode} ${text}`)
    } catch (error) {
      const sinceStart = Math.round(sentAt - startedAt)
      // How much a connection carried before tells a reused one from a new one.
      const socket = error instanceof errors.SocketError ? JSON.stringify(error.socket) : ''
      failed.push(
        `${method} ${path}, sent ${sinceStart} ms after the first, longest pause ${longestPauseMs} ms: ${error} ${socket}`,
      )
    }
    slowestMs = Math.max(slowestMs, performance.now() - sentAt)
  }

  let checkedAt = startedAt
  const timer = setInterval(() => {
    const now = performance.now()
    longestPauseMs = Math.max(longestPauseMs, Math.round(now - checkedAt))
    checkedAt = now
    for (const due = ((now - startedAt) / 1000) * perSecond; count < due; ) {
      const sending = send(next(count++)).finally(() => pending.delete(sending))
      pending.add(sending)
    }
  }, tickMs)

  return {
    failed,
    get count() {
      return count
    },
    get slowestMs() {
      return slowestMs
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      if (!dispatcher.closed) await dispatcher.close()
    },
  }
}
