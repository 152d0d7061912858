import type { Component, Effect } from './component.ts'
import type { Changes, StateStore } from './state-store.ts'

/** Saved together with a component or not at all. */
export type Parts = Omit<Changes, 'components' | 'audited'> & Partial<Pick<Changes, 'audited'>>

export type Saver = ReturnType<typeof createSaver>

/** One transaction, which succeeds or fails as a whole. */
interface Batch extends PromiseWithResolvers<void> {
  readonly components: Map<string, Component>
  readonly opened: Parts['opened'][number][]
  readonly resolved: Parts['resolved'][number][]
  readonly moved: Parts['moved'][number][]
  readonly ran: (Parts['ran'] & {})[number][]
  readonly audited: Changes['audited'][number][]
}

const soonMs = 500

interface SaverDeps {
  readonly store: Pick<StateStore, 'save'>
  /** Called on the first failure of a series. */
  onFailure(error: unknown): void
  /** Called on the first success after it. */
  onRecovery(): void
}

/** Group commit: changes that arrive during one write go into the next. */
export function createSaver({ store, onFailure, onRecovery }: SaverDeps) {
  const soon = new Map<string, Component>()
  let waiting: Batch | null = null
  let isWriting = false
  let timer: NodeJS.Timeout | null = null
  let isBroken = false
  let failures = 0
  let isStopped = false

  const write = async ({ components, opened, resolved, moved, ran, audited }: Batch): Promise<void> => {
    const kept = new Map(soon)
    const all = new Map([...kept, ...components])
    if (all.size === 0) return
    soon.clear()
    try {
      await store.save({ components: [...all.values()], opened, resolved, moved, ran, audited })
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
      // Waits for the other changes of this event loop turn.
      await new Promise((resolve) => setImmediate(resolve))
      const batch = taken()
      try {
        await write(batch)
        batch.resolve()
      } catch (error) {
        batch.reject(error)
        // Changes that arrived meanwhile fail with it instead of waiting again.
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
    /** Resolves when durable. If it rejects, nothing was saved, or the lease was lost and the state is loaded again. */
    save(component: Component, { opened, resolved, moved, ran = [], audited = [] }: Parts): Promise<void> {
      const batch = join()
      batch.components.set(component.id, component)
      batch.opened.push(...opened)
      batch.resolved.push(...resolved)
      batch.moved.push(...moved)
      batch.ran.push(...ran)
      batch.audited.push(...audited)
      return batch.promise
    },
    /** Saves within a second, and retries until it succeeds; nobody waits for it. */
    saveSoon(component: Component): void {
      soon.set(component.id, component)
      later()
    },
    /** Drops what `saveSoon` has not written yet. */
    forget: (componentId: string): void => void soon.delete(componentId),
    flush: (): Promise<void> => join().promise,
    /** Whether the last write failed. */
    get isBroken(): boolean {
      return isBroken
    },
    /** The number of failed writes. */
    get failures(): number {
      return failures
    },
    stop(): void {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}

function newBatch(): Batch {
  const done = Promise.withResolvers<void>()
  // An unawaited rejection is not an error.
  done.promise.catch(() => {})
  return { ...done, components: new Map(), opened: [], resolved: [], moved: [], ran: [], audited: [] }
}

export const partsOf = (componentId: string, effects: readonly Effect[]): Parts => ({
  opened: effects.flatMap((effect) => (effect.kind === 'opened' ? [{ componentId, incident: effect.incident }] : [])),
  resolved: effects.flatMap((effect) =>
    effect.kind === 'resolved' ? [{ incidentId: effect.incident.id, at: effect.at }] : [],
  ),
  ran: effects.flatMap((effect) => (effect.kind === 'ran' ? [{ componentId, run: effect.run }] : [])),
  moved: effects.flatMap((effect) => (effect.kind === 'moved' ? [{ componentId, transition: effect }] : [])),
})
