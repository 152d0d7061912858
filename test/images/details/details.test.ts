import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maxLengths, readDetail, textNames } from '../../../src/images/details/details.ts'
import { readTags } from '../../../src/images/tags.ts'

describe('Details of images', () => {
  it('have texts of up to their length in code points, without control characters', () => {
    for (const name of textNames.filter((each) => each !== 'source')) {
      const longest = '💥'.repeat(maxLengths[name])
      assert.equal(readDetail(name, longest), longest)
      for (const bad of ['', `${longest}a`, 'a\nb', 'a\0', '\u007f', 'a\u0085b', '\ud800'])
        assert.equal(readDetail(name, bad), undefined, JSON.stringify(bad.slice(0, 9)))
    }
  })

  it('have a source that cannot end the header in which it stands', () => {
    const written = (text: string) => readDetail('source', text)
    assert.equal(written('HTTPS://Example.ORG/a b?q=">;<#x"y>`'), 'https://example.org/a%20b?q=%22%3E;%3C#x%22y%3E%60')
    assert.equal(written('https://bücher.example/ß?ä'), 'https://xn--bcher-kva.example/%C3%9F?%C3%A4')
    for (const code of Array.from({ length: 0x250 }, (_, each) => each)) {
      const text = written(
        `https://example.org/a${String.fromCharCode(code)}b?${String.fromCharCode(code)}#${String.fromCharCode(code)}`,
      )
      if (text !== undefined) assert.match(text, /^[!#-;=?-~]+$/)
    }
    for (const bad of [
      'ftp://example.org/',
      'javascript:alert(1)',
      'example.org',
      '//example.org',
      'https://',
      'https://a\r\nb/',
    ])
      assert.equal(written(bad), undefined, bad)
    const long = `https://example.org/${'a'.repeat(maxLengths.source - 20)}`
    assert.equal(written(long), long)
    assert.equal(written(`${long}a`), undefined)
    // Short as it is given, but not as it is written.
    assert.equal(written(`https://example.org/${'ß'.repeat(1_000)}`), undefined)
  })

  it('have at most 32 tags, sorted and each once', () => {
    const many = Array.from({ length: 32 }, (_, index) => `t-${index}`)
    assert.deepEqual(readTags([...many, ...many].toReversed()), many.toSorted())
    assert.equal(readTags([...many, 'one-more']), undefined)
    assert.deepEqual(readTags(['a'.repeat(32), '-', '0']), ['-', '0', 'a'.repeat(32)])
    for (const bad of ['', 'A', 'a b', 'a,b', 'ä', 'a'.repeat(33), 'a\n']) assert.equal(readTags([bad]), undefined, bad)
  })
})
