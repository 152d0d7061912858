import * as runner from 'node:test'
import { inTime } from './until.ts'

type Act = () => Promise<void>

const open = new Set<Act>()
const opened = new WeakMap<object, Act[]>()

/** Closes what several tests share at the end of the file. Returns the act, which runs once. */
export function atEndOfFile(act: () => Promise<unknown> | unknown): Act {
  const once = async () => {
    if (open.delete(once)) await act()
  }
  open.add(once)
  return once
}

/**
 * Closes what a test or a suite has opened at its end, the last first, even if it fails; otherwise at the end of the
 * file, since a service that is left open would keep the whole run waiting.
 */
export function atEnd(act: () => Promise<unknown> | unknown): Act {
  const once = atEndOfFile(act)
  // Not in Node 24.
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
