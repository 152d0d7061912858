import type { Tried } from './try-mutants.ts'

type Survivors = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface Report {
  readonly lines: readonly string[]
  readonly isFine: boolean
}

/** The score in per cent, and every survivor that is not listed, or is listed but killed or gone. */
export function reportOf(
  results: ReadonlyMap<string, readonly Tried[]>,
  survivors: Survivors,
  minScore: number,
): Report {
  const all = [...results.values()].flat()
  const count = (outcome: Tried['outcome']) => all.filter((each) => each.outcome === outcome).length
  const score = all.length === 0 ? 0 : (100 * (all.length - count('survived'))) / all.length
  const unlisted = [...results].flatMap(([path, tried]) =>
    tried
      .filter(({ mutant, outcome }) => outcome === 'survived' && !Object.hasOwn(survivors[path] ?? {}, mutant.name))
      .map(({ mutant }) => `${path}:${mutant.line}: ${mutant.name}`),
  )
  const stale = [...results].flatMap(([path, tried]) => {
    const living = new Set(tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant.name))
    return Object.keys(survivors[path] ?? {})
      .filter((name) => !living.has(name))
      .map((name) => `${path}: ${name}`)
  })
  const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', title, ...lines] : [])
  return {
    lines: [
      ...section('Survived, so a test is missing, or a reason in test/mutation/survivors.ts:', unlisted),
      ...section('Listed in test/mutation/survivors.ts, but killed or gone:', stale),
      '',
      `${score.toFixed(1)} % of ${all.length} mutants killed (at least ${minScore} %): ${count('killed')} by a failed test, ${count('timeout')} by the time limit; ${count('survived')} survived`,
    ],
    isFine: score >= minScore && unlisted.length === 0 && stale.length === 0,
  }
}
