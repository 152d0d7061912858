import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isBucketName } from '../../src/images/bucket-name.ts'
import { isKindName, builtInKinds as kinds, maxKinds, reservedKinds, titleOf } from '../../src/images/kinds.ts'
import { isFilename, keyOf, parseKey, parseServedKey } from '../../src/images/names.ts'
import { isObjectName } from '../../src/images/object-name.ts'
import { servedName } from '../../src/images/served-name.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'

/** What no name may contain, put into the middle of an otherwise valid one. */
const strange = [...'/\\\0\n\r\t %?#:*"', ..."'<&|é💥\u212a\ud800"]

describe('a file name', () => {
  it('consists of letters, digits, dots, underscores and hyphens, in any length', () => {
    for (const name of [...'a a.png A_b-C.9.webp - _ -rf .hidden a. __proto__ 0'.split(' '), 'x'.repeat(1_024)])
      assert.equal(isFilename(name), true, name.slice(0, 20))
  })

  it('is not a dot, and has no two in a row', () => {
    for (const name of ['.', '..', '...', 'a..png', '..a', 'a..', 'a..b..c'])
      assert.equal(isFilename(name), false, name)
  })

  it('is not empty and has no other characters', () => {
    for (const name of ['', ...strange.flatMap((each) => [each, `a${each}b`, `a${each}`, `${each}a`])])
      assert.equal(isFilename(name), false, JSON.stringify(name))
  })
})

describe('the name under which a file is served', () => {
  it('is a file name that stays the same, whatever the file is called', () => {
    assertProperty(
      fc.property(fc.oneof(fc.string({ unit: anyCodePoint }), fc.stringMatching(/^[-.a-zé /]*$/)), (base) => {
        const name = servedName(base)
        assert.ok(isFilename(name) && name.length < 170, name)
        assert.equal(servedName(name), name)
        assert.ok(isFilename(servedName(base, 'abc')))
      }),
    )
    assert.equal(servedName('Füchse (2).JPG'), 'Fuchse-2.JPG')
    assert.equal(servedName('é .é'), 'e.e')
    assert.equal(servedName('a/.a/'), 'a.a')
    assert.equal(servedName('日本.png'), 'image.png')
  })

  it('keeps letters, digits, dots, underscores and hyphens, and trims dots and hyphens', () => {
    for (const [base, name] of [
      ['A_b-C.9.webp', 'A_b-C.9.webp'],
      ['Åström_ß.png', 'Astrom_.png'],
      ['ﬁne ①.png', 'fine-1.png'],
      ['a  (b)  c.png', 'a-b-c.png'],
      ['.hidden.png', 'hidden.png'],
      ['..-.a', 'image.a'],
      ['-a-.png', 'a.png'],
      ['--a--b--.png', 'a--b.png'],
      ['a-._.png', 'a._.png'],
      ['a.-b.png', 'a.b.png'],
      ['a...png', 'a.png'],
      ['a.png-', 'a.png'],
      ['a.png...', 'a.png'],
      ['a', 'a'],
      ['', 'image'],
      ['.png', 'image.png'],
      ['a.p_g', 'a.p_g'],
      ['a.tar.gz', 'a.tar.gz'],
    ] as const)
      assert.equal(servedName(base), name, base)
  })

  it('has a stem of 150 characters at most, without hyphens at its end, and an ending of up to 9', () => {
    const long = 'x'.repeat(150)
    assert.equal(servedName(`${long}y.png`), `${long}.png`)
    assert.equal(servedName(`${'x'.repeat(147)}---y.png`), `${'x'.repeat(147)}.png`)
    assert.equal(servedName(`${'x'.repeat(149)}--y.png`), `${'x'.repeat(149)}.png`)
    assert.equal(servedName('a.123456789'), 'a.123456789')
    assert.equal(servedName('a.1234567890'), 'a.1234567890')
    assert.equal(servedName(`${long}.123456789`), `${long}.123456789`)
    assert.equal(servedName(`${long}.1234567890`), long)
  })

  it('can have a hash before the ending', () => {
    assert.equal(servedName('a b.png', 'abc'), 'a-b-abc.png')
    assert.equal(servedName('a', ''), 'a-')
    assert.equal(servedName('a.1234567890', 'abc'), 'a.1234567890-abc')
    assert.equal(servedName('é.png', 'abc'), 'e-abc.png')
    for (const end of ['-', '.', '--', '.-.']) assert.equal(servedName(`a.png${end}`, 'abc'), 'a-abc.png')
  })
})

describe('an object name', () => {
  it('is any path of up to 1,024 bytes', () => {
    for (const name of [
      ...'a fox/a.png fox/deep/er/a.png fox/a..png fox/... .hidden é/💥.png %2e%2e a?b#c __proto__ ~ -rf'.split(' '),
      'with space',
      'x'.repeat(1_024),
      'é'.repeat(512),
    ])
      assert.equal(isObjectName(name), true, name.slice(0, 20))
  })

  it('is not longer, counted in bytes', () => {
    for (const name of ['x'.repeat(1_025), `${'é'.repeat(512)}x`, '💥'.repeat(257)])
      assert.equal(isObjectName(name), false, name.slice(0, 20))
  })

  it('has no empty, . or .. segment', () => {
    for (const segment of ['', '.', '..'])
      for (const name of [segment, `${segment}/a`, `a/${segment}/b`, `a/${segment}`])
        assert.equal(isObjectName(name), false, JSON.stringify(name))
  })

  it('has no backslash, control character or lone surrogate', () => {
    for (const each of ['\\', '\0', '\n', '\r', '\t', '\x1f', '\x7f', '\x80', '\x9f', '\ud800', '\udc00'])
      for (const name of [each, `a${each}b`, `fox/${each}`])
        assert.equal(isObjectName(name), false, JSON.stringify(name))
  })
})

describe('a bucket name', () => {
  it('is 3 to 63 lower-case letters, digits, dots and hyphens', () => {
    for (const name of [
      ...'abc images my-bucket my.bucket.1 0a0 123 a--b 1.2.3 1.2.3.4.5 axn--b my-sthree-a a-s3aliasb a--ol-s3b'.split(
        ' ',
      ),
      'a'.repeat(63),
    ])
      assert.equal(isBucketName(name), true, name)
  })

  it('is no other text, and no path to another folder', () => {
    for (const name of [
      ...'a ab Images my_bucket -abc abc- .abc abc. a..b ... a.-b a-.b images/.. .details'.split(' '),
      '',
      'a'.repeat(64),
      'images\n',
      '\nimages',
      ...strange.map((each) => `a${each}b`),
    ])
      assert.equal(isBucketName(name), false, JSON.stringify(name))
  })

  it('is no IP address, and no name that S3 reserves', () => {
    for (const name of [...'192.168.5.4 1.2.3.4 999.999.999.999 xn--abc sthree-abc abc-s3alias abc--ol-s3'.split(' ')])
      assert.equal(isBucketName(name), false, name)
  })
})

describe('a kind', () => {
  it('is one of nine in every installation, and of 200 at most', () => {
    assert.equal(maxKinds, 200)
    assert.deepEqual([...kinds], ['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'])
    assert.deepEqual([...kinds].filter(isKindName), [...kinds])
  })

  it('has 1 to 32 lower-case letters, digits and hyphens, and is no part of a route', () => {
    for (const name of [...'a 0 - a-z0-9 randoms tags report'.split(' '), 'a'.repeat(32)])
      assert.equal(isKindName(name), true, name)
    for (const name of ['', 'random', 'Fox', 'a_b', 'a.b', 'a'.repeat(33), ...strange.map((each) => `a${each}b`)])
      assert.equal(isKindName(name), false, JSON.stringify(name))
    assert.deepEqual([...reservedKinds], ['tags', 'report'])
  })

  it('is shown with a capital', () => {
    assert.deepEqual([...kinds].slice(0, 4).map(titleOf), ['Fox', 'Bird', 'Shibe', 'Weiner-dog'])
  })
})

describe('a parsed key', () => {
  it('has its kind and file name, for every kind', () => {
    for (const kind of kinds) {
      assert.deepEqual(parseKey(kinds, `${kind}/a.png`), { kind, filename: 'a.png' })
      assert.equal(keyOf(kind, 'a.png'), `${kind}/a.png`)
    }
    assert.deepEqual(parseKey(new Set(['a']), 'a/b'), { kind: 'a', filename: 'b' })
  })

  it('is null for what the proxy does not serve', () => {
    for (const key of [
      ...'fox fox/ / /fox/a.png /a.png a.png fox//a.png fox/deep/a.png fox/a.png/ Fox/a.png cat/a.png foxes/a.png fo/a.png __proto__/a.png constructor/a.png fox/.. fox/a..png fox/../bird/a.png ../fox/a.png'.split(
        ' ',
      ),
      '',
      'fox /a.png',
      ' fox/a.png',
      'fox\\a.png',
      'foxx',
      ...strange.map((each) => `fox/a${each}b.png`),
    ])
      assert.equal(parseKey(kinds, key), null, JSON.stringify(key))
  })

  it('is null for an object without bytes', () => {
    const parsed = [1, 0].map((size) => parseServedKey(kinds, { name: 'fox/a.png', size }))
    assert.deepEqual(parsed, [{ kind: 'fox', filename: 'a.png' }, null])
    assert.equal(parseServedKey(kinds, { name: 'fox', size: 1 }), null)
  })

  it('is null for a key of more than 1,024 bytes', () => {
    const name = 'x'.repeat(1_020)
    assert.deepEqual(parseKey(kinds, `fox/${name}`), { kind: 'fox', filename: name })
    assert.equal(parseKey(kinds, `fox/${name}x`), null)
  })
})
