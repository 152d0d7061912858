import type { Run } from '../../src/drivers/counters/script.ts'

/** What the scripts of failures do in Redis, as long as no key expires; failures-in-redis.test.ts compares both. */
export function createFailuresInRedis() {
  const keys = new Map<string, { used: number; readonly reserved: Set<string> }>()

  const reserve = ([key = '']: readonly string[], [id = '', , act, length, max]: readonly string[]): number[] => {
    const found = keys.get(key) ?? { used: 0, reserved: new Set<string>() }
    const isReserved = act === 'reserve' && found.used + found.reserved.size < Number(max)
    if (isReserved) keys.set(key, { ...found, reserved: found.reserved.add(id) })
    return [0, found.used, found.reserved.size, Number(length), Number(isReserved)]
  }
  const settle = ([key = '']: readonly string[], [id = '', outcome]: readonly string[]): number => {
    const found = keys.get(key) ?? { used: 0, reserved: new Set<string>() }
    const isFailure = outcome === 'failed' || (outcome === 'failed-if-known' && found.reserved.has(id))
    const used = found.used + Number(isFailure)
    const released = Number(found.reserved.delete(id))
    if (used + found.reserved.size > 0) keys.set(key, { ...found, used })
    else keys.delete(key)
    return released
  }
  const pending = (subject: string) =>
    [...keys].filter(([key]) => key.endsWith(`:${subject}`)).reduce((sum, [, { reserved }]) => sum + reserved.size, 0)

  return {
    run: ({ keys: names, args }: Run): unknown => (names.length > 1 ? reserve(names, args) : settle(names, args)),
    pending,
    clear: () => keys.clear(),
    state: () => [...keys].map(([key, { used, reserved }]) => [key, used, [...reserved].sort()]),
  }
}
