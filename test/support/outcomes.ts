import { readFileSync, writeFileSync } from 'node:fs'
import type { EventData, TestsStream } from 'node:test'

/** What became of a test or suite: the file is the outermost suite, see `groupOf` of test/run.ts. */
export interface Outcome {
  readonly file: string
  readonly title: string
  readonly isSuite: boolean
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason: string
}

/** At the end of the run, writes what became of each test to this file. */
export function writeOutcomes(events: TestsStream, path: string): void {
  const outcomes: Outcome[] = []
  /** The names of the open suites, outermost first: each starts before its tests, in the order of the report. */
  const open: string[] = []
  events.on('test:start', ({ name, nesting }) => {
    open.splice(nesting, Number.POSITIVE_INFINITY, name)
  })
  const add = (result: Outcome['result'], { name, nesting, skip, details }: EventData.TestPass | EventData.TestFail) =>
    outcomes.push({
      file: nesting === 0 ? name : (open[0] ?? ''),
      title: name,
      isSuite: details.type === 'suite',
      result,
      reason: typeof skip === 'string' ? skip : '',
    })
  const isSkipped = (skip: string | boolean | undefined) => skip !== undefined && skip !== false
  events.on('test:pass', (data) => add(isSkipped(data.skip) ? 'skipped' : 'passed', data))
  events.on('test:fail', (data) => add('failed', data))
  events.on('end', () => writeFileSync(path, JSON.stringify(outcomes)))
}

export const readOutcomes = (path: string): Outcome[] => JSON.parse(readFileSync(path, 'utf8'))
