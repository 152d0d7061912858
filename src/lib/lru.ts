import { LRUCache } from 'lru-cache'

/** At most so many values, least recently used first out. With `max`, lru-cache would allocate room for all at once. */
export const createLru = <Value extends {}>(max: number) =>
  new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1 })
