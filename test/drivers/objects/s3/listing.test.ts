import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readPage } from '../../../../src/drivers/objects/s3/listing.ts'
import { anyCodePoint, assertProperty } from '../../../support/seed.ts'

const object = (name: string, more = '') =>
  `<Contents><Key>${name}</Key><LastModified>2026-06-01T12:00:00.123Z</LastModified><ETag>&quot;e1&quot;</ETag><Size>7</Size>${more}</Contents>`
const listing = (inner: string, more = '<IsTruncated>false</IsTruncated>') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>pool</Name>${more}${inner}</ListBucketResult>`
const modified = Date.parse('2026-06-01T12:00:00Z')
const namesOf = (text: string) => readPage(text).objects.map(({ name }) => name)

describe('A page of a listing', () => {
  it('has the objects, folders and token that its document has', () => {
    const owner = '<Owner><ID>x</ID><Key>not this</Key></Owner><StorageClass>STANDARD</StorageClass>'
    const folders =
      '<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes><CommonPrefixes/>'
    const token = '<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b==</NextContinuationToken>'
    assert.deepEqual(readPage(listing(object('fox/a.png', owner) + folders, token)), {
      objects: [{ name: 'fox/a.png', etag: 'e1', size: 7, modified }],
      folders: ['a/', 'b/'],
      isTruncated: true,
      token: 'a&b==',
    })
    const spaced = `\uFEFF${listing(`\n  ${object('a').replaceAll('><', '>\n    <')}\n<!-- <Key>b</Key> -->`)}\n`
    assert.deepEqual(namesOf(spaced), ['a'])
  })

  it('has keys as they are, whether escaped for XML, for URLs, or as CDATA', () => {
    const url = '<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>'
    const folder = '<CommonPrefixes><Prefix>fox/100%/</Prefix></CommonPrefixes>'
    assert.deepEqual(readPage(listing(object('a') + folder, url)).folders, ['fox/100%/'])
    assert.deepEqual(namesOf(listing(object('a%20b+c%2B%C3%BC/%3C'), url)), ['a b c+ü/<'])
    const escaped = 'a &amp;amp; &lt;b&gt; &#233;&#x1F600;&apos;+%20'
    assert.deepEqual(namesOf(listing(object(escaped))), ["a &amp; <b> é😀'+%20"])
    assert.deepEqual(namesOf(listing(object('<![CDATA[a<b>&amp;]]>'))), ['a<b>&amp;'])
    assertProperty(
      fc.property(fc.string({ unit: anyCodePoint }), (name) => {
        assert.deepEqual(namesOf(listing(object(encodeURIComponent(name)), url)), [name])
      }),
    )
  })

  it('is refused if anything of it is missing or something else', () => {
    for (const text of [
      ...['', 'text', '<html></html>', '<Error><Code>AccessDenied</Code></Error>', '{"Contents":[]}'],
      ...[listing('', ''), listing('', '<IsTruncated>constructor</IsTruncated>'), listing('').replace('Name>', 'N>')],
      ...[listing('').slice(0, -3), listing('<a>'), listing('</a>'), listing('<a></b>'), `${listing('')}<`],
      ...[
        listing('<!DOCTYPE a>'),
        listing(object('&a;')),
        listing(object('&#1114112;')),
        listing(object('&constructor;')),
      ],
      ...['Key', 'ETag', 'Size', 'LastModified'].map((name) => listing(object('a').replaceAll(name, 'Other'))),
      ...['-1', '1.5', '1e3', '', '99999999999999999'].map((size) => listing(object('a').replace('>7<', `>${size}<`))),
      listing(object('a').replace('2026-06', 'June')),
      listing(object('%C3'), '<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>'),
    ])
      assert.throws(() => readPage(text), /invalid S3 response/, text)
  })
})
