import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { beginOf, folderOf, keyOf, treeOf } from '../../../../src/drivers/objects/folder/paths.ts'
import { isObjectName } from '../../../../src/images/object-name.ts'
import { anyCodePoint, assertProperty } from '../../../support/seed.ts'
import { sized } from '../../../support/size.ts'

const bad = [
  ...['', '.', '..', '/', '//', '/a', 'a/', 'a//b', './a', 'a/.', 'a/./b', '../a', 'a/..', 'a/../b', 'a/../../b'],
  ...[
    ...['a\\b', '..\\a', 'a\u0000', '\u0000', 'a\nb', 'a\u0001', 'a\u0001/\u0001b', '\u007f', '\u0085', '\ud800'],
    ...['a\udfff'],
  ],
  ...['a'.repeat(1025), 'é'.repeat(513), `${'a/'.repeat(512)}b`],
]

/** Strings that an attacker would compose. */
const pieces = ['/', '..', '.', '\\', '\u0000', '\u0001', '%2e', 'a', 'é', '🦊', ' ', 'x'.repeat(253), 'y'.repeat(254)]
const hostileKey = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 400 }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' })), { maxLength: 12 })
    .map((all) => all.join('')),
)

describe('The path of a key', () => {
  it('is the key itself if each segment fits a file name', () => {
    for (const key of ['fox/a.png', 'a', '...', 'fox/..a', 'fox/a..', 'fox/.a', 'ü/日本 語', `fox/${'a'.repeat(251)}`])
      assert.equal(treeOf(key, false), key)
  })

  it('does not exist for what could lead elsewhere', () => {
    for (const key of bad) assert.equal(treeOf(key, false), null, JSON.stringify(key))
  })

  it("lies in the bucket's folder for any text, and maps back to the same key", () => {
    let taken = 0
    assertProperty(
      fc.property(hostileKey, fc.boolean(), (key, isWindows) => {
        const tree = treeOf(key, isWindows)
        if (tree === null) return
        taken++
        const path = posix.join('/objects/images', tree)
        assert.equal(path, `/objects/images/${tree}`)
        assert.ok(posix.normalize(path).startsWith('/objects/images/'))
        for (const name of tree.split('/')) {
          assert.ok(
            name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255,
            JSON.stringify(name),
          )
          assert.ok(!name.includes('\\') && !name.includes('\u0000'))
        }
        assert.equal(keyOf(tree, isWindows), key)
      }),
      { numRuns: 3_000 },
    )
    assert.ok(taken > sized(100, 300), String(taken))
  })

  it('is different for every key', () => {
    assertProperty(
      fc.property(hostileKey, hostileKey, (one, other) => {
        const [tree, another] = [treeOf(one, false), treeOf(other, false)]
        assert.ok(one === other || tree === null || tree !== another)
      }),
    )
  })

  it('exists exactly for valid object names', () => {
    assertProperty(
      fc.property(fc.oneof(hostileKey, fc.constantFrom(...bad)), (key) => {
        assert.equal(treeOf(key, false) !== null, isObjectName(key), JSON.stringify(key))
      }),
      { numRuns: 2_000 },
    )
  })

  it('exists for keys of 1,024 bytes, however they are split', () => {
    for (const key of [
      'a'.repeat(1024),
      'é'.repeat(512),
      '🦊'.repeat(256),
      `${'a'.repeat(253)}..`,
      `${'a'.repeat(255)}..`,
    ]) {
      const tree = treeOf(key, false)
      assert.ok(tree)
      assert.equal(keyOf(tree, false), key)
    }
  })

  it('maps back only from the path of that key', () => {
    const [mark, long] = ['\u0001', 'a'.repeat(300)]
    const split = treeOf(long, false) ?? ''
    assert.match(split, new RegExp(`^a+${mark}/${mark}a+$`))
    for (const tree of [
      long,
      `a${mark}/${mark}b`,
      `a${mark}/b`,
      `a/${mark}b`,
      `a${mark}`,
      `${mark}a`,
      `${split}${mark}`,
      'a//b',
      '',
    ])
      assert.equal(keyOf(tree, false), null, JSON.stringify(tree))
  })

  it('does not exist on Windows for devices, streams and names that it changes', () => {
    for (const key of [
      ...['con', 'fox/NUL.png', 'fox/aux', 'com1', 'LPT9.txt', 'fox/a.png:stream', 'C:/a', 'a.', 'a /b', 'a?', 'a|b'],
    ]) {
      assert.equal(treeOf(key, true), null, key)
      assert.equal(treeOf(key, false), key)
    }
    for (const key of ['fox/console.png', 'fox/comb', 'fox/a.b c']) assert.equal(treeOf(key, true), key)
  })

  it('can be found by a prefix of keys', () => {
    assert.equal(beginOf(''), '')
    assert.equal(beginOf('fox/a'), 'fox/a/')
    assert.equal(beginOf('fox/aaa\u0001'), 'fox/aaa')
    assert.equal(beginOf('fox/aaa\u0001/\u0001b\u0001'), 'fox/aaab')
    assert.deepEqual(['', 'fo', 'fox/', 'fox/a', 'fox/a/b'].map(folderOf), ['', '', 'fox', 'fox', 'fox/a'])
    for (const prefix of ['/', '../a', 'fox/../', 'fox//a']) assert.equal(folderOf(prefix), null)
  })
})
