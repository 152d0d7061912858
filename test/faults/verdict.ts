import type { Outcome } from '../support/outcomes.ts'
import type { Row } from './table/row.ts'

export interface Verdict {
  readonly state: 'holds' | 'FAILED' | 'not shown'
  /** Of its tests, those that passed. */
  readonly passed: number
  /** Why it failed, or why some or all of it was not shown here. */
  readonly reasons: readonly string[]
}

/** What the outcomes say about a row. A title that matches no test of a complete file is a mistake of the table. */
export function verdictOf({ on, proofs }: Row, outcomes: readonly Outcome[]): Verdict {
  const failures: string[] = []
  const skips = new Set<string>()
  let passed = 0
  let isAnySkipped = false
  for (const [file, titles] of Object.entries(proofs)) {
    const own = outcomes.filter((each) => each.file === file)
    const skippedSuites = own.filter(({ isSuite, result }) => isSuite && result === 'skipped')
    if (on.includes('cluster')) for (const { reason } of skippedSuites) skips.add(reason)
    for (const title of titles) {
      const found = own.filter((each) => !each.isSuite && each.title.startsWith(title))
      for (const { result, reason } of found) {
        if (result === 'passed') passed++
        if (result === 'skipped') skips.add(reason)
      }
      isAnySkipped ||= found.some(({ result }) => result === 'skipped')
      if (found.some(({ result }) => result === 'failed')) failures.push(`failed: ${file}: ${title}`)
      // The tests of a skipped suite are not even known.
      else if (found.length === 0 && skippedSuites.length > 0) {
        isAnySkipped = true
        for (const { reason } of skippedSuites) skips.add(reason)
      } else if (found.length === 0) failures.push(`no such test ran: ${file}: ${title}`)
    }
  }
  if (Object.keys(proofs).length === 0) return { state: 'not shown', passed, reasons: ['no test'] }
  if (failures.length > 0) return { state: 'FAILED', passed, reasons: failures }
  return { state: passed === 0 && isAnySkipped ? 'not shown' : 'holds', passed, reasons: [...skips] }
}

/** In one line, and below it why it failed. */
export function printVerdict({ state, passed, reasons }: Verdict): string {
  const tests = `${passed} test${passed === 1 ? '' : 's'}`
  const why = reasons.join('; ')
  if (state === 'not shown') return `not shown here: ${why}`
  if (state === 'FAILED') return `FAILED (${tests} passed)${reasons.map((reason) => `\n      ${reason}`).join('')}`
  return why === '' ? `holds (${tests})` : `holds (${tests}; in part not shown here: ${why})`
}

/** One line for each row. */
export const printVerdicts = (verdicts: readonly (readonly [Row, Verdict])[]): string =>
  verdicts.map(([{ id, fault }, verdict]) => `${id.padEnd(5)} ${fault}: ${printVerdict(verdict)}\n`).join('')
