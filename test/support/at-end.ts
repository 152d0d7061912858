import { after } from 'node:test'
import { inTime } from './until.ts'

const acts = new Set<() => Promise<void>>()

/**
 * What a test opened is closed by it, or else, when it failed on the way, at the end of its file: a service left
 * open would keep the whole run waiting. Answers the act, made to run once.
 */
export function atEnd(act: () => Promise<unknown> | unknown): () => Promise<void> {
  const once = async () => {
    if (acts.delete(once)) await act()
  }
  acts.add(once)
  return once
}

after(async () => {
  const ends = []
  for (const act of [...acts].reverse())
    ends.push(...(await Promise.allSettled([inTime(act(), 'the end of what a test opened')])))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
})
