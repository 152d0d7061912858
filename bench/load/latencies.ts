import { quantile } from '../figures.ts'

export const latencies = (ms: readonly number[]): string =>
  ms.length === 0
    ? 'none'
    : `p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms, max ${quantile(ms, 1).toFixed(1)} ms`
