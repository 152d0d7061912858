import * as runner from 'node:test'
import { inTime } from './until.ts'

type Act = () => Promise<void>

const open = new Set<Act>()
const opened = new WeakMap<object, Act[]>()

/** At the end of the file, closes what several tests share. Returns the act, which runs once. */
export function atEndOfFile(act: () => Promise<unknown> | unknown): Act {
  const once = async () => {
    if (open.delete(once)) await act()
  }
  open.add(once)
  return once
}

/**
 * At the end of a test or suite, even a failed one, closes what it has opened, last first; outside of tests, at the end
 * of the file. An open service would keep the whole run waiting.
 */
export function atEnd(act: () => Promise<unknown> | unknown): Act {
  const once = atEndOfFile(act)
  // Missing in Node 24.
  const context = runner.getTestContext?.() as runner.TestContext | undefined
  const acts = context && opened.get(context)
  if (acts) acts.push(once)
  else if (context) {
    const first = [once]
    opened.set(context, first)
    context.after(async () => {
      context.mock.timers.reset()
      await close(first)
    })
  }
  return once
}

async function close(acts: Iterable<Act>): Promise<void> {
  const ends = []
  for (const act of [...acts].reverse())
    ends.push(...(await Promise.allSettled([inTime(act(), 'the end of what a test opened')])))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

runner.after(() => close(open))
