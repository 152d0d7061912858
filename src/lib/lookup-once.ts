import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Callback = Parameters<LookupFunction>[2]

const waiting = new Map<string, Callback[]>()

/**
 * `lookup` for node:net with single-flight per name. A query that no server answers holds a thread of libuv's pool
 * until the resolver gives up, even if its caller has given up, and queries may take half of the threads: those for one
 * name would delay all others. Shared by all connections of the process, as the threads are.
 */
export const lookupOnce: LookupFunction = (hostname, options, callback) => {
  const key = JSON.stringify([hostname, options])
  const others = waiting.get(key)
  if (others) return void others.push(callback)
  const all = [callback]
  // Throws for an impossible name.
  lookup(hostname, options, (...answer) => {
    waiting.delete(key)
    for (const each of all) each(...(answer as Parameters<Callback>))
  })
  waiting.set(key, all)
}
