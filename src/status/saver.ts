import type { Component, Effect } from './component.ts'
import type { Changes, StateStore } from './state-store.ts'

/** What comes with a component, and is saved with it or not at all. */
export type Parts = Omit<Changes, 'components'>

/** Brings changes to the disk: those that somebody waits for at once, with all that came meanwhile; the others soon. */
export interface Saver {
  /** Resolves when it is on the disk. Where it rejects, nothing of it is, unless the connection was lost: then the state
   * is read anew before anything else happens. */
  save(component: Component, parts: Parts): Promise<void>
  /** Within a second; nobody waits, and it is tried until it is there. */
  saveSoon(component: Component): void
  /** What was to be saved soon is not. */
  forget(componentId: string): void
  /** Everything up to now. */
  flush(): Promise<void>
  /** Whether the last write failed. */
  readonly isBroken: boolean
  /** Attempts that failed so far. */
  readonly failures: number
  stop(): void
}

/** What is written together, and learns together what became of it. */
interface Batch extends PromiseWithResolvers<void> {
  readonly components: Map<string, Component>
  readonly opened: Parts['opened'][number][]
  readonly resolved: Parts['resolved'][number][]
  readonly moved: Parts['moved'][number][]
}

const soonMs = 500

interface SaverDeps {
  readonly store: Pick<StateStore, 'save'>
  /** Called once when writes begin to fail, and once when one succeeds again. */
  onFailure(error: unknown): void
  onRecovery(): void
}

/** One transaction for all that has come to be while the last one was written. */
export function createSaver({ store, onFailure, onRecovery }: SaverDeps): Saver {
  const soon = new Map<string, Component>()
  let waiting: Batch | null = null
  let isWriting = false
  let timer: NodeJS.Timeout | null = null
  let isBroken = false
  let failures = 0
  let isStopped = false

  const write = async ({ components, opened, resolved, moved }: Batch): Promise<void> => {
    const kept = new Map(soon)
    const all = new Map([...kept, ...components])
    if (all.size === 0) return
    soon.clear()
    try {
      await store.save({ components: [...all.values()], opened, resolved, moved })
    } catch (error) {
      for (const [id, component] of kept) if (!soon.has(id)) soon.set(id, component)
      if (!isBroken) onFailure(error)
      isBroken = true
      failures += 1
      if (soon.size > 0) later()
      throw error
    }
    if (isBroken) onRecovery()
    isBroken = false
  }

  const taken = (): Batch => {
    const batch = waiting ?? newBatch()
    waiting = null
    return batch
  }

  const writeAll = async (): Promise<void> => {
    isWriting = true
    while (waiting) {
      // Those of the same turn go together.
      await new Promise((resolve) => setImmediate(resolve))
      const batch = taken()
      try {
        await write(batch)
        batch.resolve()
      } catch (error) {
        batch.reject(error)
        // Those that came meanwhile have waited for this one, and do not for another.
        taken().reject(error)
      }
    }
    isWriting = false
  }

  const join = (): Batch => {
    waiting ??= newBatch()
    const batch = waiting
    if (!isWriting) void writeAll()
    return batch
  }

  const later = () => {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = null
      join()
    }, soonMs).unref()
  }

  return {
    save(component, { opened, resolved, moved }) {
      const batch = join()
      batch.components.set(component.id, component)
      batch.opened.push(...opened)
      batch.resolved.push(...resolved)
      batch.moved.push(...moved)
      return batch.promise
    },
    saveSoon(component) {
      soon.set(component.id, component)
      later()
    },
    forget: (componentId) => void soon.delete(componentId),
    flush: () => join().promise,
    get isBroken() {
      return isBroken
    },
    get failures() {
      return failures
    },
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}

function newBatch(): Batch {
  const done = Promise.withResolvers<void>()
  // Nobody may be waiting for it.
  done.promise.catch(() => {})
  return { ...done, components: new Map(), opened: [], resolved: [], moved: [] }
}

export const partsOf = (componentId: string, effects: readonly Effect[]): Parts => ({
  opened: effects.flatMap((effect) => (effect.kind === 'opened' ? [{ componentId, incident: effect.incident }] : [])),
  resolved: effects.flatMap((effect) =>
    effect.kind === 'resolved' ? [{ incidentId: effect.incident.id, at: effect.at }] : [],
  ),
  moved: effects.flatMap((effect) => (effect.kind === 'moved' ? [{ componentId, transition: effect }] : [])),
})
