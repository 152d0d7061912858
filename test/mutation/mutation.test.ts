import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mutantsOf } from './mutants.ts'
import { mutatedPatterns } from './patterns.ts'
import { reportOf, summaryOf } from './report.ts'
import { tryMutants } from './try-mutants.ts'

const namesOf = (source: string) => mutantsOf('sample.ts', source).map(({ name }) => name)

describe('The mutants', () => {
  it('of a comparison move its boundary, turn it round, and decide it beforehand', () => {
    assert.deepEqual(namesOf('export const isLow = (count: number): boolean => count < 5\n'), [
      'export const isLow = (count: number): boolean => ⟦count < 5 → undefined⟧',
      'export const isLow = (count: number): boolean => ⟦count < 5 → true⟧',
      'export const isLow = (count: number): boolean => ⟦count < 5 → false⟧',
      'export const isLow = (count: number): boolean => count ⟦< → <=⟧ 5',
      'export const isLow = (count: number): boolean => count ⟦< → >=⟧ 5',
      'export const isLow = (count: number): boolean => count < ⟦5 → 6⟧',
      'export const isLow = (count: number): boolean => count < ⟦5 → 4⟧',
    ])
  })

  it('leave out branches, statements and results', () => {
    assert.deepEqual(namesOf('function end(open: boolean) {\n  if (!open) return 1\n  close()\n}\n'), [
      'function end(open: boolean) ⟦{ if (!open) return 1 close() } → {}⟧',
      'if (⟦!open → true⟧) return 1',
      'if (⟦!open → false⟧) return 1',
      'if (⟦!open → open⟧) return 1',
      'if (!open) return ⟦1 → undefined⟧',
      'if (!open) return ⟦1 → 2⟧',
      'if (!open) return ⟦1 → 0⟧',
      '⟦close() → undefined⟧',
    ])
  })

  it('empty texts, lists and objects, and exchange operators and methods', () => {
    const source = `use([a?.b, -c, 'd', \`e\${f}\`], { g: h ?? i++ }, j.trim(), k.some(l), m + n, o += p && /^q+/)\n`
    const changes = namesOf(source).map((name) => name.replace(/^.*⟦(.*)⟧.*$/, '$1'))
    assert.deepEqual(changes.slice(1), [
      ...[`[a?.b, -c, 'd', \`e\${f}\`] → []`, '?. → .', '-c → +c', `'d' → ''`, '`e$' + '{f}` → ``'],
      ...['{ g: h ?? i++ } → {}', 'h ?? i++ → h && i++', '++ → --', 'j.trim() → j', 'some → every', '+ → -'],
      ...['+= → -=', 'p && /^q+/ → p || /^q+/', 'p && /^q+/ → true', 'p && /^q+/ → false'],
      ...['/^q+/ → /q+/', '/^q+/ → /^q/'],
    ])
    assert.match(changes[0] ?? '', /^use\(.* → undefined$/)
  })

  it('leave types, imports and the names of properties alone', () => {
    assert.deepEqual(
      namesOf(`import { a } from 'b'\nexport * from 'c'\ntype D = 'e' | 1\nexport const f = a as unknown as D\n`),
      [],
    )
    assert.deepEqual(namesOf(`export const f = { 'g-h': a satisfies 'i' }\n`), [
      `export const f = ⟦{ 'g-h': a satisfies 'i' } → {}⟧`,
    ])
  })

  it('can be those of chosen declarations only', () => {
    const source = 'export const a = 1\nexport function b() {\n  return true\n}\nclass C {\n  d = 2\n}\n'
    const linesOf = (...only: string[]) => mutantsOf('sample.ts', source, only).map(({ line }) => line)
    assert.deepEqual(
      [linesOf('a'), linesOf('b'), linesOf('C')],
      [
        [1, 1],
        [2, 3, 3],
        [6, 6],
      ],
    )
  })

  it('of a regular expression change its anchors, quantifiers, classes and look-arounds', () => {
    assert.deepEqual(mutatedPatterns('^[a-z]{2,8}\\d(?!x)$'), [
      '[a-z]{2,8}\\d(?!x)$',
      '^[^a-z]{2,8}\\d(?!x)$',
      '^[a-z]\\d(?!x)$',
      '^[a-z]{3,8}\\d(?!x)$',
      '^[a-z]{2,9}\\d(?!x)$',
      '^[a-z]{2,8}\\D(?!x)$',
      '^[a-z]{2,8}\\d(?=x)$',
      '^[a-z]{2,8}\\d(?!x)',
    ])
  })
})

describe('A mutation test', () => {
  const survivor = 'export const isFull = (count: number, max: number): boolean => count ⟦>= → >⟧ max'

  it('finds what a weak test misses, and nothing else', async () => {
    const tried = await tryMutants('test/mutation/sample/rule.ts', { tests: ['test/mutation/sample/weak.ts'] }, 2)
    assert.deepEqual(
      tried.map(({ mutant, outcome }) => [mutant.name.replace(/^.*⟦(.*)⟧.*$/, '$1'), outcome]),
      [
        ['count >= max → undefined', 'killed'],
        ['count >= max → true', 'killed'],
        ['count >= max → false', 'killed'],
        ['>= → >', 'survived'],
        ['>= → <', 'killed'],
      ],
    )
    const unlisted = reportOf('rule.ts', tried, {})
    assert.deepEqual(unlisted.problems, [`survived, rule.ts:2: ${survivor}`])
    assert.equal(summaryOf([unlisted], 80).isFine, false)
    const listed = reportOf('rule.ts', tried, { [survivor]: 'a sample' })
    assert.deepEqual(
      [80, 81].map((min) => summaryOf([listed], min).isFine),
      [true, false],
    )
  })

  it('refuses a listed survivor that is killed or gone', () => {
    const [killed] = mutantsOf('rule.ts', 'export const one = 1\n')
    assert.ok(killed)
    for (const name of [killed.name, 'gone']) {
      const report = reportOf('rule.ts', [{ mutant: killed, outcome: 'killed' }], { [name]: 'a sample' })
      assert.deepEqual(report.problems, [`listed in test/mutation/survivors.ts, but killed or gone, rule.ts: ${name}`])
      assert.equal(summaryOf([report], 0).isFine, false)
    }
  })

  it('does not begin if no test loads the file', async () => {
    await assert.rejects(
      tryMutants('test/mutation/report.ts', { tests: ['test/mutation/sample/weak.ts'] }, 1),
      /is loaded by none of its tests/,
    )
  })
})
