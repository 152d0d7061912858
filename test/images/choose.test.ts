import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Catalogue, EntryGroup } from '../../src/images/catalogue.ts'
import { choose, seeded } from '../../src/images/choose.ts'
import type { Kind } from '../../src/images/kinds.ts'
import { sized } from '../support/size.ts'
import { assertUniform, seededRandom } from '../support/uniform.ts'

type Counts = Partial<Readonly<Record<Kind, number>>>

/** So many of each kind, named by their ordinals; only what a choice asks for is there. */
function catalogueOf(counts: Counts): Catalogue {
  const part: Pick<Catalogue, 'groups'> = {
    groups: (of) =>
      of.map((kind) => ({
        kind,
        count: counts[kind] ?? 0,
        at(ordinal) {
          assert.ok(Number.isInteger(ordinal) && ordinal >= 0 && ordinal < (counts[kind] ?? 0), `${kind} ${ordinal}`)
          return { filename: String(ordinal), etag: 'e', size: 1, modified: 0 }
        },
      })),
  }
  return part as Catalogue
}

const kindsOf = (counts: Counts) => Object.keys(counts) as Kind[]
const namesIn = (counts: Counts) =>
  kindsOf(counts).flatMap((kind) => Array.from({ length: counts[kind] ?? 0 }, (_, ordinal) => `${kind}/${ordinal}`))
const namesOf = (counts: Counts, count: number, random: () => number) =>
  choose(catalogueOf(counts), kindsOf(counts), count, random).map(({ kind, entry }) => `${kind}/${entry.filename}`)
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Every ordered selection of this many of them. */
const orders = (names: readonly string[], count: number): string[][] =>
  count === 0
    ? [[]]
    : names.flatMap((first) =>
        orders(
          names.filter((name) => name !== first),
          count - 1,
        ).map((rest) => [first, ...rest]),
      )

describe('a choice', () => {
  it('has the requested number of distinct images, whatever the sizes', () => {
    const random = seededRandom(1)
    for (const counts of [{ fox: 1 }, { fox: 30 }, { fox: 31 }, { fox: 10_000_000 }, { fox: 2, bird: 0, pat: 40 }])
      for (const count of [1, 2, 29, 30]) {
        const names = namesOf(counts, count, random)
        assert.equal(new Set(names).size, Math.min(count, namesTotal(counts)))
        assert.equal(names.length, new Set(names).size)
      }
  })

  it('is all of them if there are fewer, and empty if there are none', () => {
    const counts = { fox: 3, bird: 0, slap: 2 }
    for (const count of [5, 6, 30])
      assert.deepEqual(namesOf(counts, count, seededRandom(2)).toSorted(), namesIn(counts).toSorted())
    assert.deepEqual(namesOf({ fox: 0, bird: 0 }, 30, seededRandom(3)), [])
    assert.deepEqual(choose(catalogueOf({}), [], 1, seededRandom(4)), [])
  })

  it('leaves out what another process has removed since it was counted', () => {
    const entry = (ordinal: number) => ({ filename: String(ordinal), etag: 'e', size: 1, modified: 0 })
    const chosen = (group: EntryGroup) =>
      choose({ groups: () => [group] } as unknown as Catalogue, ['fox'], 3, seededRandom(5))
    const entryless = chosen({ kind: 'fox', count: 3, at: (ordinal) => (ordinal === 1 ? null : entry(ordinal)) })
    assert.deepEqual(entryless.map((each) => each.entry.filename).toSorted(), ['0', '2'])
    let counted = 0
    const shrinking = chosen({
      kind: 'fox',
      get count() {
        return counted++ === 0 ? 3 : 2
      },
      at: entry,
    })
    assert.deepEqual(shrinking.map((each) => each.entry.filename).toSorted(), ['0', '1'])
  })

  it('picks every image of all kinds with equal probability, however large each kind is', () => {
    const counts = { fox: 1, bird: 50, shibe: 0, hug: 7, pat: 2 }
    const random = seededRandom(5)
    assertUniform(times(sized(15_000, 60_000), () => namesOf(counts, 1, random)).flat(), namesIn(counts))
  })

  it('picks every selection in every order with equal probability', () => {
    const random = seededRandom(6)
    for (const [counts, count] of [
      [{ fox: 4 }, 4],
      [{ fox: 1, bird: 3 }, 4],
      [{ fox: 3, bird: 1, pat: 2 }, 3],
    ] as const)
      assertUniform(
        times(sized(10_000, 40_000), () => namesOf(counts, count, random).join(' ')),
        orders(namesIn(counts), count).map((names) => names.join(' ')),
      )
  })

  it('can be the first and the last image of each kind', () => {
    const counts = { fox: 3, bird: 2 }
    assert.deepEqual(
      namesOf(counts, 1, () => 0),
      ['fox/0'],
    )
    assert.deepEqual(
      namesOf(counts, 1, () => 1 - 2 ** -53),
      ['bird/1'],
    )
    assert.deepEqual(
      namesOf(counts, 5, () => 0),
      ['fox/0', 'fox/1', 'fox/2', 'bird/0', 'bird/1'],
    )
  })

  it('reads only the chosen entries, of ten million as of ten', () => {
    let asked = 0
    const catalogue = catalogueOf({ fox: 10_000_000 })
    const groups: Catalogue['groups'] = (of, filter) =>
      catalogue.groups(of, filter).map(({ at, ...group }) => ({
        ...group,
        at(number) {
          asked++
          return at(number)
        },
      }))
    choose({ ...catalogue, groups }, ['fox'], 30, seededRandom(7))
    assert.equal(asked, 30)
  })
})

describe('a seed', () => {
  it('gives the same numbers on every machine', () => {
    const known: Readonly<Record<string, readonly number[]>> = {
      a: [0.6170009362330653, 0.2554167428112457, 0.9480435481159049],
      '💥': [0.6896595120645905, 0.5935876389503676, 0.4467998325179465],
    }
    for (const [seed, numbers] of Object.entries(known)) {
      const random = seeded(seed)
      assert.deepEqual(times(3, random), numbers)
    }
  })

  it('repeats its choice', () => {
    const counts = { fox: 1_000, bird: 3 }
    for (const seed of ['', 'a', 'tuesday', 'x'.repeat(1_024)])
      assert.deepEqual(namesOf(counts, 30, seeded(seed)), namesOf(counts, 30, seeded(seed)))
  })

  it('gives a different choice from other seeds', () => {
    const choices = times(1_000, (index) => namesOf({ fox: 10_000 }, 30, seeded(String(index))).join(' '))
    assert.equal(new Set(choices).size, 1_000)
    // One that begins like another's step.
    assert.notDeepEqual(namesOf({ fox: 10_000 }, 5, seeded('1:a')), namesOf({ fox: 10_000 }, 5, seeded('a')))
  })

  it('favours no image over many seeds, neither as the first nor as the last', () => {
    const counts = { fox: 5, bird: 15 }
    const choices = times(sized(5_000, 20_000), (index) => namesOf(counts, 3, seeded(`seed ${index}`)))
    for (const place of [0, 2])
      assertUniform(
        choices.map((names) => names[place] as string),
        namesIn(counts),
      )
  })
})

function namesTotal(counts: Counts): number {
  return kindsOf(counts).reduce((sum, kind) => sum + (counts[kind] ?? 0), 0)
}
