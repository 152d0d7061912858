import type { Tried } from './try-mutants.ts'

export interface FileReport {
  readonly tried: number
  readonly killed: number
  /** Killed by the time limit. */
  readonly timeouts: number
  /** What has to be done: a test is missing, or what survivors.ts says is no longer so. */
  readonly problems: readonly string[]
}

/** `listed`: the survivors of this file in survivors.ts, with their reasons. */
export function reportOf(path: string, tried: readonly Tried[], listed: Readonly<Record<string, string>>): FileReport {
  const survivors = tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)
  const unlisted = survivors.filter(({ name }) => !Object.hasOwn(listed, name))
  const stale = Object.keys(listed).filter((each) => !survivors.some(({ name }) => name === each))
  return {
    tried: tried.length,
    killed: tried.length - survivors.length,
    timeouts: tried.filter(({ outcome }) => outcome === 'timeout').length,
    problems: [
      ...unlisted.map(({ name, line }) => `survived, ${path}:${line}: ${name}`),
      ...stale.map((name) => `listed in test/mutation/survivors.ts, but killed or gone, ${path}: ${name}`),
    ],
  }
}

export interface Summary {
  readonly text: string
  readonly isFine: boolean
}

export function summaryOf(reports: readonly FileReport[], minScore: number): Summary {
  const sum = (count: (report: FileReport) => number) => reports.reduce((total, each) => total + count(each), 0)
  const [tried, killed, timeouts] = [
    sum((each) => each.tried),
    sum((each) => each.killed),
    sum((each) => each.timeouts),
  ]
  const problems = sum((each) => each.problems.length)
  const score = tried === 0 ? 0 : (100 * killed) / tried
  const expected = problems === 0 ? 'as listed' : `${problems} not as listed`
  return {
    text: `${score.toFixed(1)} % of ${tried} mutants killed (at least ${minScore} %), ${timeouts} of them by the time limit; ${tried - killed} survived, ${expected}`,
    isFine: score >= minScore && problems === 0,
  }
}
