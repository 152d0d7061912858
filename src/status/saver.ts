import type { Component } from './component.ts'
import type { Changes, StateStore } from './state-store.ts'

type Parts = Omit<Changes, 'components'>

/** Brings changes to the disk: those that somebody waits for at once, with all that came meanwhile; the others soon. */
export interface Saver {
  /** Resolves when it is on the disk; rejects where it is not, and keeps it. */
  save(component: Component, parts: Partial<Parts>): Promise<void>
  /** Within a second; nobody waits. */
  saveSoon(component: Component): void
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
  let waiting = emptyBatch()
  let writing: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isBroken = false
  let isStopped = false

  const write = async (): Promise<void> => {
    // Those of the same turn go together.
    await new Promise((resolve) => setImmediate(resolve))
    const batch = waiting
    if (isEmpty(batch)) return
    waiting = emptyBatch()
    try {
      await store.save({ ...batch, components: [...batch.components.values()] })
      isBroken = false
    } catch (error) {
      waiting = joined(batch, waiting)
      if (!isBroken) onFailure(error)
      isBroken = true
      later()
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
    save(component, { opened = [], resolved = [], moved = [] }) {
      waiting.components.set(component.id, component)
      waiting.opened.push(...opened)
      waiting.resolved.push(...resolved)
      waiting.moved.push(...moved)
      return flush()
    },
    saveSoon(component) {
      waiting.components.set(component.id, component)
      later()
    },
    forget(componentId) {
      waiting.components.delete(componentId)
      waiting.opened = waiting.opened.filter((each) => each.componentId !== componentId)
      waiting.moved = waiting.moved.filter((each) => each.componentId !== componentId)
    },
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

interface Batch {
  components: Map<string, Component>
  opened: Changes['opened'][number][]
  resolved: Changes['resolved'][number][]
  moved: Changes['moved'][number][]
}

const emptyBatch = (): Batch => ({ components: new Map(), opened: [], resolved: [], moved: [] })

const isEmpty = ({ components, opened, resolved, moved }: Batch) =>
  components.size + opened.length + resolved.length + moved.length === 0

/** While nothing can be written, of each kind; a disk may be full for days. */
const mostKept = 10_000

/** What could not be written, and what has come since: of a component the newer counts. */
const joined = (older: Batch, newer: Batch): Batch => ({
  components: new Map([...older.components, ...newer.components]),
  opened: [...older.opened, ...newer.opened].slice(-mostKept),
  resolved: [...older.resolved, ...newer.resolved].slice(-mostKept),
  moved: [...older.moved, ...newer.moved].slice(-mostKept),
})
