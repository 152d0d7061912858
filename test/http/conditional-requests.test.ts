import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  evaluate,
  isConditional,
  matchesIfNoneMatch,
  mayProceed,
  type Verdict,
  withoutDates,
} from '../../src/http/conditional-requests.ts'
import { assertProperty } from '../support/seed.ts'

const modified = Date.parse('2026-03-04T05:06:07.890Z')
const version = { etag: 'a,b', modified, size: 1000 }
const [before, same, after] = [-1000, 0, 1000].map((ms) => new Date(modified + ms).toUTCString()) as [
  string,
  string,
  string,
]

interface Asked {
  readonly method?: string
  readonly 'if-match'?: string
  readonly 'if-none-match'?: string
  readonly 'if-modified-since'?: string
  readonly 'if-unmodified-since'?: string
  readonly 'if-range'?: string
  readonly range?: string
}

/** The status, or the range as Content-Range writes it. */
function answer({ method = 'GET', ...headers }: Asked, of = version): number | string {
  const verdict = evaluate(method, headers, of)
  return verdict.status === 206 ? `${verdict.first}-${verdict.last}` : verdict.status
}

function table(rows: readonly (readonly [Asked, number | string])[]) {
  for (const [asked, expected] of rows) assert.equal(answer(asked), expected, JSON.stringify(asked))
}

const own = '"a,b"'
/** Lists that contain the image's own tag, by strong and by weak comparison. */
const strong = [
  own,
  `  ${own}\t`,
  `"x", ${own}`,
  `${own},"x"`,
  `,, ${own} ,`,
  `W/"x" , ${own}`,
  `"",${own}`,
  `"é",${own}`,
]
const weak = [...strong, `W/${own}`, `"x",W/${own}`, `W/${own},"x"`]
const others = ['"aW/,b"', '"x"', '""', 'W/"x"', '"a"', '"b"', '"a", "b"', '"A,B"', '"a,b "', '"*"']
/** Nothing in these counts, not even the image's own tag. */
const malformed = [
  ...['', ',', 'a,b', '"a,b', 'a,b"', "'a,b'", `w/${own}`, `W/ ${own}`, `W\\${own}`, `${own} ${own}`, `${own};q=1`],
  ...[`${own}, x`, `x, ${own}`, `*, ${own}`, `${own}, *`, '**', `"x" y, ${own}`, `"\x7f", ${own}`, `"x\ty", ${own}`],
]
const noDates = ['', 'x', '*', own, '2026-03-04T05:06:07Z', same.replace('GMT', 'UTC'), `${same}, ${same}`]
const dates = (header: 'if-modified-since' | 'if-unmodified-since', value: string): Asked => ({ [header]: value })

describe('A condition', () => {
  it('exists if one of the six headers does', () => {
    for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'])
      for (const value of ['', 'x']) assert.equal(isConditional({ host: 'x', [name]: value }), true, name)
    assert.equal(isConditional({ host: 'x', etag: own, 'accept-ranges': 'bytes' }), false)
    table([[{}, 200]])
  })

  it('If-Match holds for * and for the ETag, by strong comparison', () => {
    table([
      ...['*', ' * ', ...strong].map((value) => [{ 'if-match': value }, 200] as const),
      ...[`W/${own}`, `"x",W/${own}`, ...others].map((value) => [{ 'if-match': value }, 412] as const),
    ])
  })

  it('If-Match without a valid list of ETags never holds', () => {
    table(malformed.map((value) => [{ 'if-match': value }, 412] as const))
  })

  it('If-None-Match matches * and the ETag, by weak comparison', () => {
    table([
      ...['*', ' * ', ...weak].map((value) => [{ 'if-none-match': value }, 304] as const),
      ...others.map((value) => [{ 'if-none-match': value }, 200] as const),
    ])
  })

  it('If-None-Match without a valid list of ETags matches nothing: the whole image is sent', () => {
    table(malformed.map((value) => [{ 'if-none-match': value }, 200] as const))
  })

  it('finds an ETag among thousands, and among invalid text', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `"${index}"`).join(',')
    table([
      [{ 'if-none-match': `${many},${own}` }, 304],
      [{ 'if-none-match': many }, 200],
      [{ 'if-none-match': `${' ,'.repeat(8_000)}x` }, 200],
      [{ 'if-none-match': `${own}${' ,\t'.repeat(5_000)}x` }, 200],
      [{ 'if-none-match': `${many}"` }, 200],
    ])
  })

  it('accepts every character that an ETag may contain', () => {
    const etag = `!#$%&'()*+,-./09:;<=>?@AZ[\\]^_\`az{|}~\x80\xff`
    assert.equal(answer({ 'if-none-match': `"x","${etag}"` }, { ...version, etag }), 304)
    assert.equal(answer({ 'if-match': `"${etag}"` }, { ...version, etag }), 200)
    assert.equal(answer({ 'if-match': '""' }, { ...version, etag: '' }), 200)
  })

  it('If-Modified-Since matches unless the image changed in a later second', () => {
    table([
      [dates('if-modified-since', before), 200],
      [dates('if-modified-since', same), 304],
      [dates('if-modified-since', after), 304],
      [dates('if-modified-since', 'Wednesday, 04-Mar-26 05:06:07 GMT'), 304],
      [dates('if-modified-since', 'Wed Mar  4 05:06:07 2026'), 304],
      [dates('if-modified-since', 'Wed Mar  4 05:06:06 2026'), 200],
    ])
  })

  it('If-Unmodified-Since holds unless the image changed in a later second', () => {
    table([
      [dates('if-unmodified-since', before), 412],
      [dates('if-unmodified-since', same), 200],
      [dates('if-unmodified-since', after), 200],
      [dates('if-unmodified-since', 'Wednesday, 04-Mar-26 05:06:07 GMT'), 200],
      [dates('if-unmodified-since', 'Wed Mar  4 05:06:06 2026'), 412],
    ])
  })

  it('with an invalid date is ignored', () => {
    for (const value of noDates)
      table([
        [dates('if-modified-since', value), 200],
        [dates('if-unmodified-since', value), 200],
        [{ ...dates('if-unmodified-since', value), 'if-none-match': own }, 304],
      ])
  })

  it('with a date is ignored beside one with an ETag', () => {
    table([
      [{ 'if-match': own, 'if-unmodified-since': before }, 200],
      [{ 'if-match': '"x"', 'if-unmodified-since': after }, 412],
      [{ 'if-none-match': '"x"', 'if-modified-since': after }, 200],
      [{ 'if-none-match': 'x', 'if-modified-since': after }, 200],
      [{ 'if-none-match': own, 'if-modified-since': before }, 304],
    ])
  })

  it('is evaluated in order: 412, then 304, then the range', () => {
    table([
      [{ 'if-match': '"x"', 'if-none-match': own, range: 'bytes=0-0' }, 412],
      [{ 'if-match': own, 'if-none-match': own, range: 'bytes=0-0' }, 304],
      [{ 'if-match': own, 'if-none-match': '"x"', range: 'bytes=0-0' }, '0-0'],
      [{ 'if-unmodified-since': before, 'if-modified-since': after }, 412],
      [{ 'if-unmodified-since': after, 'if-modified-since': after, range: 'bytes=2000-' }, 304],
      [{ 'if-unmodified-since': after, 'if-modified-since': before, range: 'bytes=2000-' }, 416],
    ])
  })

  it('applies to HEAD as to GET', () => {
    table([
      [{ method: 'HEAD', 'if-none-match': own }, 304],
      [{ method: 'HEAD', 'if-match': '"x"' }, 412],
      [{ method: 'HEAD', 'if-modified-since': same }, 304],
      [{ method: 'HEAD', 'if-unmodified-since': before }, 412],
    ])
  })
})

describe('If-Range', () => {
  const range = 'bytes=1-2'

  it('keeps the range for exactly the ETag or the date', () => {
    table(
      [own, ` ${own} `, same, 'Wed Mar  4 05:06:07 2026'].map((held) => [{ 'if-range': held, range }, '1-2'] as const),
    )
  })

  it('sends the whole image for anything else', () => {
    for (const held of [`W/${own}`, '"x"', '*', '', 'a,b', `${own}, "x"`, `"x", ${own}`, before, after, 'x', '"a,b'])
      table([
        [{ 'if-range': held, range }, 200],
        [{ 'if-range': held, range: 'bytes=2000-' }, 200],
      ])
  })

  it('is ignored without a range, and overrides no condition', () => {
    table([
      [{ 'if-range': own }, 200],
      [{ 'if-range': '"x"' }, 200],
      [{ 'if-range': '"x"', 'if-none-match': own, range }, 304],
      [{ 'if-range': own, 'if-match': '"x"', range }, 412],
    ])
  })
})

describe('A range', () => {
  const ranges = (rows: Readonly<Record<string, number | string>>, size = 1000) => {
    for (const [range, expected] of Object.entries(rows))
      assert.equal(answer({ range }, { ...version, size }), expected, `${range} of ${size}`)
  }
  const huge = '9'.repeat(400)

  it('has a first and a last byte, and is cut at the end of the image', () => {
    ranges({
      'bytes=0-0': '0-0',
      'bytes=0-': '0-999',
      'bytes=0-999': '0-999',
      'bytes=0-1000': '0-999',
      'bytes=999-999': '999-999',
      'bytes=999-': '999-999',
      'bytes=999-1000': '999-999',
      'bytes=500-600': '500-600',
      'bytes=007-0010': '7-10',
      [`bytes=1-${huge}`]: '1-999',
    })
  })

  it('may be a number of last bytes, at most all', () => {
    ranges({
      'bytes=-1': '999-999',
      'bytes=-999': '1-999',
      'bytes=-1000': '0-999',
      'bytes=-1001': '0-999',
      [`bytes=-${huge}`]: '0-999',
    })
  })

  it('that begins beyond the end or is empty is not satisfiable', () => {
    ranges({
      'bytes=1000-': 416,
      'bytes=1000-1000': 416,
      'bytes=1000-2000': 416,
      [`bytes=${huge}-`]: 416,
      [`bytes=${huge}-${huge}`]: 416,
      'bytes=-0': 416,
      'bytes=-000': 416,
    })
    ranges({ 'bytes=0-': 416, 'bytes=0-0': 416, 'bytes=-1': 416, 'bytes=1-0': 200 }, 0)
    ranges({ 'bytes=0-0': '0-0', 'bytes=-5': '0-0', 'bytes=1-': 416 }, 1)
  })

  it('with its last byte before its first is ignored', () => {
    ranges({ 'bytes=1-0': 200, 'bytes=999-0': 200, 'bytes=2000-1999': 200, [`bytes=${huge}-${huge.slice(1)}`]: 200 })
  })

  it('is accepted with its unit in any case, and with spaces around it', () => {
    ranges({
      'BYTES=0-0': '0-0',
      'Bytes=-1': '999-999',
      'bytes= 0-0': '0-0',
      'bytes=0-0 ': '0-0',
      '\tbytes=0-0': '0-0',
    })
  })

  it('of another unit, of several parts or of another form is ignored', () => {
    ranges(
      Object.fromEntries(
        [
          ...['', '-', 'bytes', 'bytes=', 'bytes=-', 'bytes=0', 'bytes=x-', 'bytes=0-x', 'bytes=0--1', 'bytes=--1'],
          ...['bytes=0-0,2-2', 'bytes=0-0, -1', 'bytes=2000-,0-0', 'bytes=0-0,', 'bytes=,0-0', 'bytes=0-0;1-1'],
          ...['items=0-0', 'byte=0-0', 'bytess=0-0', 'none=0-0', 'bytes 0-0', 'bytes 0-0/1000', 'bytes:0-0', '0-0'],
          ...['bytes=0 - 0', 'bytes=0- 0', 'bytes=+0-0', 'bytes=0x0-1', 'bytes=1e1-', 'bytes=0.0-1', 'bytes=٠-١'],
          ...['bytes =0-0', 'bytes=0-0 x', 'bytes=0-0\nbytes=1-1'],
        ].map((range) => [range, 200]),
      ),
    )
  })

  it('is ignored for HEAD', () => {
    table([
      [{ method: 'HEAD', range: 'bytes=0-0' }, 200],
      [{ method: 'HEAD', range: 'bytes=2000-' }, 200],
      [{ method: 'HEAD', range: 'bytes=0-0', 'if-range': own }, 200],
    ])
  })
})

/* What the tables show, for all combinations at once: a second implementation, which is told what the headers mean. */

type Tag = { readonly isWeak: boolean; readonly text: string }
const tag = fc.record({ isWeak: fc.boolean(), text: fc.constantFrom('a,b', 'x', '', 'a') })
const tags = fc.array(tag, { minLength: 1, maxLength: 4 })
const written = (list: readonly Tag[]) => list.map(({ isWeak, text }) => `${isWeak ? 'W/' : ''}"${text}"`).join(', ')
const list = fc.oneof(
  fc.constant({ text: '*', strong: true, weak: true }),
  fc.constantFrom(...malformed).map((text) => ({ text, strong: false, weak: false })),
  tags.map((each) => ({
    text: written(each),
    strong: each.some(({ isWeak, text }) => !isWeak && text === version.etag),
    weak: each.some(({ text }) => text === version.etag),
  })),
)
const seconds = fc.oneof(
  fc.integer({ min: -2, max: 2 }).map((by) => ({ text: new Date(modified + by * 1000).toUTCString(), by })),
  fc.constantFrom(...noDates).map((text) => ({ text, by: null })),
)
const held = fc.oneof(
  tag.map((one) => ({ text: written([one]), isSame: !one.isWeak && one.text === version.etag })),
  seconds.map(({ text, by }) => ({ text, isSame: by === 0 || text === own })),
)
const position = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(2 ** 53, 1e21).map(Math.floor))
type Asking = { readonly text: string; readonly means: (size: number) => Verdict }
const whole: Verdict = { status: 200 }
const digits = (value: number) => BigInt(value).toString()
const span = fc.oneof(
  fc.tuple(position, fc.option(position)).map(
    ([first, last]): Asking => ({
      text: `bytes=${digits(first)}-${last === null ? '' : digits(last)}`,
      means: (size) => {
        if (last !== null && last < first) return whole
        return first < size ? { status: 206, first, last: Math.min(last ?? Infinity, size - 1) } : { status: 416 }
      },
    }),
  ),
  position.map(
    (count): Asking => ({
      text: `bytes=-${digits(count)}`,
      means: (size) =>
        count > 0 && size > 0 ? { status: 206, first: Math.max(0, size - count), last: size - 1 } : { status: 416 },
    }),
  ),
  fc.constantFrom('bytes=0-0,1-1', 'items=0-0', 'bytes=', '').map((text): Asking => ({ text, means: () => whole })),
)
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  match: fc.option(list),
  noneMatch: fc.option(list),
  modifiedSince: fc.option(seconds),
  unmodifiedSince: fc.option(seconds),
  ifRange: fc.option(held),
  range: fc.option(span),
  size: fc.integer({ min: 0, max: 10 }),
})
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never

/** The steps of RFC 9110 §13.2.2, in its words. */
function byTheBook(asked: Request): Verdict {
  const { method, match, noneMatch, modifiedSince, unmodifiedSince, ifRange, range, size } = asked
  if (match !== null) {
    if (!match.strong) return { status: 412 }
  } else if (unmodifiedSince !== null && unmodifiedSince.by !== null && unmodifiedSince.by < 0) return { status: 412 }
  if (noneMatch !== null) {
    if (noneMatch.weak) return { status: 304 }
  } else if (modifiedSince !== null && modifiedSince.by !== null && modifiedSince.by >= 0) return { status: 304 }
  if (method !== 'GET' || range === null || (ifRange !== null && !ifRange.isSame)) return whole
  return range.means(size)
}

describe('The evaluation', () => {
  it('equals the steps of the RFC for every combination', () => {
    const run = (asked: Request) => {
      const headers = Object.fromEntries(
        [
          ['if-match', asked.match],
          ['if-none-match', asked.noneMatch],
          ['if-modified-since', asked.modifiedSince],
          ['if-unmodified-since', asked.unmodifiedSince],
          ['if-range', asked.ifRange],
          ['range', asked.range],
        ].flatMap(([name, value]) => (value === null ? [] : [[name, (value as { text: string }).text]])),
      )
      assert.deepEqual(evaluate(asked.method, headers, { ...version, size: asked.size }), byTheBook(asked))
    }
    assertProperty(fc.property(request, run), { numRuns: 5_000 })
  })

  it('returns a verdict for any text, and only ranges within the image', () => {
    const text = fc.option(fc.string({ unit: fc.constantFrom(...'bytes=-0123456789 ,"W/*x\t') }), { nil: undefined })
    const headers = fc.record({
      'if-match': text,
      'if-none-match': text,
      'if-modified-since': text,
      'if-unmodified-since': text,
      'if-range': text,
      range: fc.oneof(
        text,
        fc.string({ unit: fc.constantFrom(...'-0123456789 ,') }).map((rest) => `bytes=${rest}`),
      ),
    })
    assertProperty(
      fc.property(headers, fc.nat(50), (asked, size) => {
        const verdict = evaluate('GET', asked, { ...version, size })
        if (verdict.status === 206)
          assert.ok(verdict.first >= 0 && verdict.first <= verdict.last && verdict.last < size)
        else assert.ok([200, 304, 412, 416].includes(verdict.status))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('The conditions on a resource that is another one each time', () => {
  const both = { 'if-modified-since': same, 'if-unmodified-since': same }

  it('are those that name a version; dates say nothing about it', () => {
    const others = { host: 'x', 'if-match': own, 'if-none-match': own }
    assert.deepEqual(withoutDates({ ...others, ...both }), others)
    assert.deepEqual(withoutDates({ ...others, ...both, range: 'bytes=0-1' }), { ...others, range: 'bytes=0-1' })
  })

  it('have no range that depends on a date', () => {
    for (const condition of [same, '', 'x', ` ${same}`, `x${own}`, `w/${own}`])
      assert.deepEqual(withoutDates({ host: 'x', ...both, range: 'bytes=0-1', 'if-range': condition }), { host: 'x' })
    for (const condition of [own, `W/${own}`, ` ${own}`, '"']) {
      const ofVersion = { host: 'x', range: 'bytes=0-1', 'if-range': condition }
      assert.deepEqual(withoutDates({ ...both, ...ofVersion }), ofVersion)
    }
  })

  it('are left alone if there are none', () => {
    const headers = { host: 'x' }
    assert.equal(withoutDates(headers), headers)
  })
})

describe('A list that has not changed', () => {
  it('is known by If-None-Match alone', () => {
    assert.equal(matchesIfNoneMatch({}, 'a,b'), false)
    assert.equal(matchesIfNoneMatch({ 'if-match': own }, 'a,b'), false)
    assert.equal(matchesIfNoneMatch({ 'if-none-match': own }, 'a,b'), true)
  })
})

describe('A change', () => {
  it('may proceed if If-Match names the version, or without it if If-Unmodified-Since is no earlier', () => {
    for (const [headers, expected] of [
      [{}, true],
      [{ 'if-match': own }, true],
      [{ 'if-match': '*' }, true],
      [{ 'if-match': '"x"', 'if-unmodified-since': after }, false],
      [{ 'if-match': own, 'if-unmodified-since': before }, true],
      [{ 'if-unmodified-since': before }, false],
      [{ 'if-unmodified-since': same }, true],
      [{ 'if-unmodified-since': after }, true],
      [{ 'if-unmodified-since': 'x' }, true],
    ] as const)
      assert.equal(mayProceed(headers, version), expected, JSON.stringify(headers))
  })
})
