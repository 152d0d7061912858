import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Param } from './connection.ts'

export type Rows = Record<string, unknown>[]

export interface Question {
  readonly id: number
  readonly sql: string
  readonly params: readonly Param[]
}

/** An error does not keep its code on its way between threads. */
export type Answer =
  | { readonly id: number; readonly rows: Rows }
  | { readonly id: number; readonly message: string; readonly errcode: number }

/** With the extension of this file: in a package it is compiled. */
const entry = join(import.meta.dirname, `reader-thread-entry${extname(import.meta.filename)}`)

/**
 * Reads a database in a thread of its own, one statement after another: SQLite would block the event loop for as long
 * as a statement takes, which on a cold page cache is seconds. Starts with the first statement; costs about 10 MB.
 */
export function createReaderThread(path: string) {
  const waiting = new Map<number, PromiseWithResolvers<Rows>>()
  let worker: Worker | null = null
  let last = 0
  let isClosed = false

  const start = (): Worker => {
    const started = new Worker(entry, { workerData: path })
    const fail = (error: Error) => {
      if (worker === started) worker = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('message', (answer: Answer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
    })
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the thread that reads the database has ended')))
    return started
  }

  return {
    async run(sql: string, params: readonly Param[]): Promise<Rows> {
      if (isClosed) throw new Error('the database is closed')
      worker ??= start()
      const id = ++last
      const asked = Promise.withResolvers<Rows>()
      waiting.set(id, asked)
      worker.postMessage({ id, sql, params } satisfies Question)
      return asked.promise
    },
    /** After the statements so far. */
    async close(): Promise<void> {
      isClosed = true
      if (worker === null) return
      const ended = once(worker, 'exit')
      worker.postMessage(null)
      await ended
    },
  }
}
