import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { freeBuffer } from '../lib/free-buffer.ts'

/*
 * By default, V8 grows its young generation to 50 MB for good after a second of load, and the old one fourfold before
 * collecting it. A small service is as fast with these bounds; with half of this young generation it would not be.
 */

const maxYoungBytes = 16_000_000

const growYoungBy = (factor: 1 | 2) => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/**
 * Lets the old generation grow by half at a time, and the young one not at all: a start allocates much and keeps
 * little, so this saves 8 MB of resident memory. Not later, since V8 keeps the limit of its last collection.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=50')
  growYoungBy(1)
}

/**
 * Lets glibc keep freed memory for the next buffer: it raises its limit to the largest block that was freed so far. Until
 * then, each image of less than 128 kB takes new pages from the kernel, which costs more than the rest of a miss.
 */
export function keepFreedMemory(): void {
  freeBuffer(Buffer.allocUnsafeSlow(8_388_608))
}

/** Lets the young generation grow up to `maxYoungBytes`, and again whenever V8 has shrunk it while idle. */
export function allowGrowth(): void {
  let mayGrow = true
  growYoungBy(2)
  new PerformanceObserver(() => {
    if (mayGrow === youngBytes() < maxYoungBytes) return
    mayGrow = !mayGrow
    growYoungBy(mayGrow ? 2 : 1)
  }).observe({ entryTypes: ['gc'] })
}

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
