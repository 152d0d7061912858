import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/*
 * Left alone, V8 grows its young generation to 50 MB for good after a second of load, and the old one fourfold before it
 * collects it. A small service is as fast with these bounds; with half of this young generation it would not be.
 */

const maxYoungBytes = 16_000_000

/** A start allocates much and keeps little: a young generation that does not grow saves 8 MB of resident memory. */
const holdYoung = () => setFlagsFromString('--semi-space-growth-factor=1')

/** Lets the old generation grow by half at a time. Not later: V8 keeps the limit that it set at its last collection. */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=50')
  holdYoung()
}

/** Lets the young generation grow up to `maxYoungBytes`. */
export function allowGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < maxYoungBytes) return
    holdYoung()
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
