import type { ImageTags } from '../../src/images/tags.ts'

const none: readonly string[] = []

/** Tags that are in memory only. */
export function memoryTags(): ImageTags & { set(kind: string, filename: string, tags: readonly string[]): void } {
  const all = new Map<string, readonly string[]>()
  const listeners: ((kind: string, filename: string) => void)[] = []
  return {
    ready: null,
    of: (kind, filename) => all.get(`${kind}/${filename}`) ?? none,
    subscribe: (listener) => void listeners.push(listener),
    set(kind, filename, tags) {
      all.set(`${kind}/${filename}`, tags)
      for (const listener of listeners) listener(kind, filename)
    },
  }
}
