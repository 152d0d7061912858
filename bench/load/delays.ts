import { under } from './gates.ts'
import type { Finding } from './load-run.ts'
import type { Outcome } from './report.ts'

/** L13: how late the event loop was during other runs. */
export function delayGates(outcomes: readonly Outcome[]): Outcome {
  const repeats = Math.max(0, ...outcomes.map(({ findings }) => findings.length))
  const findings = Array.from({ length: repeats }, (_, repeat): Finding => {
    const watched = outcomes.flatMap(({ id, findings }) => {
      const delays = findings[repeat]?.watched?.delays
      return delays ? [{ id, delays }] : []
    })
    return {
      notes: [],
      gates: watched.flatMap(({ id, delays }) => [
        under(`event loop delay during ${id}, p99`, delays.p99, 30, 'ms'),
        under(`event loop delay during ${id}, max`, delays.max, 200, 'ms'),
      ]),
    }
  })
  const seen = findings.some(({ gates }) => gates.length > 0)
  return {
    id: 'L13',
    title: 'event loop delay during L01, L09 and L10',
    findings: seen ? findings : [],
    ...(!seen && { notRun: 'none of these runs ended' }),
  }
}
