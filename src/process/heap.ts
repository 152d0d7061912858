import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/*
 * V8 takes memory as long as there is some: a second of any load brings the young generation to 50 MB for good, and
 * the old one grows fourfold before it is looked through. A small service is as fast with less of both; with half of this young one it would not be.
 */

const enoughYoungBytes = 16_000_000

/** A start allocates much and keeps little: with a young generation that does not grow, 8 MB less stay resident. */
export const holdGrowth = () => setFlagsFromString('--semi-space-growth-factor=1')

/** From now on both grow as the load wants it: the young one up to what is enough, the old one by half at a time. */
export function allowGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--heap-growing-percent=50')
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < enoughYoungBytes) return
    holdGrowth()
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
