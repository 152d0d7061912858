import type { Component, Effect } from './component.ts'
import type { Changes, StateStore } from './state-store.ts'

/** What comes with a component, and is saved with it or not at all. */
export type Parts = Omit<Changes, 'components'>

/** Brings changes to the disk: those that somebody waits for at once, with all that came meanwhile; the others soon. */
export interface Saver {
  /** Resolves when it is on the disk; where it rejects, nothing of it is there or will be. */
  save(component: Component, parts: Parts): Promise<void>
  /** Within a second; nobody waits, and it is tried until it is there. */
  saveSoon(component: Component): void
  /** What was to be saved soon is not. */
  forget(componentId: string): void
  /** Everything up to now. */
  flush(): Promise<void>
  /** Whether the last attempt failed. */
  readonly isBroken: boolean
  stop(): void
}

const soonMs = 500

/** One transaction for all that has come to be while the last one was written. */
export function createSaver(store: Pick<StateStore, 'save'>, onFailure: (error: unknown) => void): Saver {
  const soon = new Map<string, Component>()
  let waiting = nothing()
  let writing: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isBroken = false
  let isStopped = false

  const write = async (): Promise<void> => {
    // Those of the same turn go together.
    await new Promise((resolve) => setImmediate(resolve))
    const { components, ...parts } = waiting
    const kept = new Map(soon)
    const all = new Map([...kept, ...components])
    if (all.size === 0) return
    waiting = nothing()
    soon.clear()
    try {
      await store.save({ ...parts, components: [...all.values()] })
      isBroken = false
    } catch (error) {
      for (const [id, component] of kept) if (!soon.has(id)) soon.set(id, component)
      if (!isBroken) onFailure(error)
      isBroken = true
      if (soon.size > 0) later()
      throw error
    }
  }

  const flush = (): Promise<void> => {
    if (next) return next
    if (!writing) {
      writing = write().finally(() => {
        writing = null
      })
      return writing
    }
    next = writing
      .catch(() => {})
      .then(() => {
        next = null
        return flush()
      })
    return next
  }

  const later = () => {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = null
      flush().catch(() => {})
    }, soonMs).unref()
  }

  return {
    save(component, { opened, resolved, moved }) {
      waiting.components.set(component.id, component)
      waiting.opened.push(...opened)
      waiting.resolved.push(...resolved)
      waiting.moved.push(...moved)
      return flush()
    },
    saveSoon(component) {
      soon.set(component.id, component)
      later()
    },
    forget: (componentId) => void soon.delete(componentId),
    flush,
    get isBroken() {
      return isBroken
    },
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}

const nothing = () => ({
  components: new Map<string, Component>(),
  opened: [] as Parts['opened'][number][],
  resolved: [] as Parts['resolved'][number][],
  moved: [] as Parts['moved'][number][],
})

export const partsOf = (componentId: string, effects: readonly Effect[]): Parts => ({
  opened: effects.flatMap((effect) => (effect.kind === 'opened' ? [{ componentId, incident: effect.incident }] : [])),
  resolved: effects.flatMap((effect) =>
    effect.kind === 'resolved' ? [{ incidentId: effect.incident.id, at: effect.at }] : [],
  ),
  moved: effects.flatMap((effect) => (effect.kind === 'moved' ? [{ componentId, transition: effect }] : [])),
})
