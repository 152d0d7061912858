import { LRUCache } from 'lru-cache'

/** At most `max` values, least recently used first out. lru-cache's own `max` would allocate room for all at once. */
export const createLru = <Value extends {}>(max: number) =>
  new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1 })
