import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FilterTerms, filterOf, matches } from '../../src/images/filter.ts'
import { maxSide } from '../../src/images/shapes/shape.ts'
import { badTags, isTag, maxTags, noTags, readTags, tagPattern } from '../../src/images/tags.ts'

describe('A filter', () => {
  const named = (terms: FilterTerms) => filterOf(terms)?.name

  it('is none if everything matches', () => {
    for (const terms of [{}, { tags: [] }, { without: [] }, { minWidth: undefined }])
      assert.equal(filterOf(terms), null)
  })

  it('has one name for equal terms, which is saved and must not change', () => {
    assert.equal(
      named({ minHeight: 2, orientation: 'square', minWidth: 1, animated: false }),
      'orientation=square&animated=false&minWidth=1&minHeight=2',
    )
    assert.equal(named({ tags: ['snow', 'night', 'snow'], without: ['b', 'a'] }), 'tags=night,snow&without=a,b')
    assert.equal(named({ minWidth: 0 }), 'minWidth=0')
    // No image is larger.
    assert.equal(named({ minWidth: maxSide + 1 }), `minWidth=${maxSide + 1}`)
    assert.equal(
      named({ minWidth: 10 ** 30, minHeight: maxSide + 2 }),
      `minWidth=${maxSide + 1}&minHeight=${maxSide + 1}`,
    )
  })

  it('has a name of 80 characters at most, else a hash of it', () => {
    assert.equal(named({ tags: ['x'.repeat(75)] }), `tags=${'x'.repeat(75)}`)
    assert.equal(named({ tags: ['x'.repeat(76)] }), 'fzi2P6z4ZwDac12__IQkrj-PIPAiqC680g2KVuMJ4oI')
  })

  it('says only what it asks for', () => {
    assert.deepEqual(filterOf({ tags: ['a'] }), { name: 'tags=a', shape: null, tags: { all: ['a'], none: [] } })
    assert.deepEqual(filterOf({ without: ['a'] })?.tags, { all: [], none: ['a'] })
    const any = { orientation: undefined, animated: undefined, minWidth: 1, minHeight: 1 }
    assert.deepEqual(filterOf({ minWidth: 0 }), { name: 'minWidth=0', shape: any, tags: null })
    assert.deepEqual(filterOf({ minHeight: 0 })?.shape, any)
    assert.deepEqual(filterOf({ minHeight: 7 })?.shape, { ...any, minHeight: 7 })
    assert.deepEqual(filterOf({ minWidth: 7 })?.shape, { ...any, minWidth: 7 })
    assert.deepEqual(filterOf({ animated: true })?.shape, { ...any, animated: true })
    assert.deepEqual(filterOf({ orientation: 'square' })?.shape, { ...any, orientation: 'square' })
  })

  it('matches images of this shape, and none of unknown shape', () => {
    const match = (terms: FilterTerms, width: number, height: number, isAnimated = false) => {
      const filter = filterOf(terms) ?? assert.fail()
      return matches(filter, width, height, isAnimated, [])
    }
    for (const [width, height, orientation] of [
      [2, 1, 'landscape'],
      [1, 2, 'portrait'],
      [2, 2, 'square'],
    ] as const)
      for (const asked of ['landscape', 'portrait', 'square'] as const)
        assert.equal(match({ orientation: asked }, width, height), asked === orientation, asked)
    assert.deepEqual(
      [4, 5, 6].map((side) => match({ minWidth: 5 }, side, 1)),
      [false, true, true],
    )
    assert.deepEqual(
      [4, 5, 6].map((side) => match({ minHeight: 5 }, 1, side)),
      [false, true, true],
    )
    for (const animated of [true, false])
      assert.deepEqual(
        [true, false].map((is) => match({ animated }, 1, 1, is)),
        [animated, !animated],
      )
    for (const terms of [{ minWidth: 0 }, { animated: false }, { orientation: 'square' }] as const)
      assert.equal(match(terms, 0, 0), false)
  })

  it('matches images with all of some tags and none of others, also of unknown shape', () => {
    const match = (tags: string[], without: string[], its: string[]) =>
      matches(filterOf({ tags, without }) ?? assert.fail(), 0, 0, false, its)
    assert.equal(match(['a', 'b'], [], ['a', 'b', 'c']), true)
    assert.equal(match(['a', 'b'], [], ['a']), false)
    assert.equal(match(['a', 'b'], [], ['b']), false)
    assert.equal(match([], ['a', 'b'], ['c']), true)
    assert.equal(match([], ['a', 'b'], ['b']), false)
    assert.equal(match(['a'], ['b'], ['a', 'b']), false)
    const both = filterOf({ tags: ['a'], minWidth: 2 }) ?? assert.fail()
    assert.deepEqual(
      [1, 2].map((width) => matches(both, width, 1, false, ['a'])),
      [false, true],
    )
    assert.equal(matches(both, 2, 1, false, []), false)
    assert.equal(matches(filterOf({ minWidth: 2 }) ?? assert.fail(), 2, 1, false, []), true)
  })
})

describe('A tag', () => {
  it('has 1 to 32 lower-case letters, digits and hyphens', () => {
    for (const tag of ['a', '0', '-', 'a-z0-9', 'x'.repeat(32)]) assert.equal(isTag(tag), true, tag)
    for (const tag of ['', 'A', 'a b', 'a_b', 'é', 'a\n', '\na', 'x'.repeat(33)]) assert.equal(isTag(tag), false, tag)
    assert.equal(tagPattern, '^[a-z0-9-]{1,32}$')
  })

  it('is read from a list or from text with commas, sorted and each once, 32 at most', () => {
    assert.deepEqual(readTags('snow, night ,snow'), ['night', 'snow'])
    assert.deepEqual(readTags(['b', 'a', 'b']), ['a', 'b'])
    assert.deepEqual(readTags([]), [])
    for (const wrong of ['', 'a,', 'a,,b', 'a b', ['a', 'B'], [' a']]) assert.equal(readTags(wrong), undefined)
    const many = Array.from({ length: 33 }, (_, n) => `t${n}`)
    assert.equal(readTags(many), undefined)
    assert.equal(readTags(many.slice(1))?.length, 32)
    assert.equal(readTags([...many.slice(1), 't1'])?.length, 32)
    assert.equal(maxTags, 32)
  })

  it('is refused with what is allowed', () => {
    const message = 'without must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -'
    assert.deepEqual(badTags('without'), { status: 400, message })
    assert.deepEqual([noTags.ready, noTags.of('fox', 'a.png'), noTags.subscribe(() => {})], [null, [], undefined])
  })
})
