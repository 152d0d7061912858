import { chunked } from './wire.ts'

/** A request that programs in a row may read in different ways, and the status that it gets. */
export interface Shape {
  readonly title: string
  readonly bytes: string
  readonly status: number
}

const host = 'Host: test\r\n'
const head = (version: string, lines: string) => `POST / HTTP/${version}\r\n${lines}\r\n`
const body = chunked('{}')
const many = Array.from({ length: 100 }, (_, index) => `X-${index}: a\r\n`).join('')

/** With one Host, and these lines. */
const framed = (lines: string, rest = body) => head('1.1', host + lines) + rest
const coded = (coding: string, rest?: string) => framed(`Transfer-Encoding:${coding}\r\n`, rest)
const sized = (length: string) => framed(`Content-Length:${length}\r\n`, '{}')

type Case = readonly [title: string, bytes: string, status?: number]

const heads: readonly Case[] = [
  // Transfer-Encoding
  ['chunks in HTTP/1.0', head('1.0', `${host}Transfer-Encoding: chunked\r\n`) + body],
  [
    'chunks in HTTP/1.0, kept alive',
    head('1.0', `${host}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n`) + body,
  ],
  [
    'chunks and a length in HTTP/1.0',
    head('1.0', `${host}Connection: keep-alive\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n`) + body,
  ],
  ['gzip, chunked', coded(' gzip, chunked')],
  ['gzip and chunked on two lines', framed('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n')],
  ['chunked, gzip', coded(' chunked, gzip')],
  ['gzip', coded(' gzip', '{}')],
  ['identity', coded(' identity', '{}')],
  ['chunked, identity', coded(' chunked, identity')],
  ['identity, chunked', coded(' identity, chunked')],
  ['chunked twice', coded(' chunked, chunked')],
  ['chunked on two lines', framed('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n')],
  ['chunked after an empty element', coded(' , chunked')],
  ['chunked before an empty element', coded(' chunked,')],
  ['an empty coding', coded('', '')],
  ['xchunked', coded(' xchunked')],
  ['chunked with a parameter', coded(' chunked;q=1')],
  ['chunked in quotes', coded(' "chunked"')],
  ['chunked after a vertical tab', coded(' \x0bchunked')],
  ['chunked before a NUL', coded(' chunked\x00')],
  ['a coding on a folded line', coded('\r\n chunked')],
  ['a space before the colon of a coding', framed('Transfer-Encoding : chunked\r\n')],
  ['a space before the name of a coding', framed(' Transfer-Encoding: chunked\r\n')],
  ['chunks and a length', framed('Transfer-Encoding: chunked\r\nContent-Length: 12\r\n')],
  ['a length and chunks', framed('Content-Length: 12\r\nTransfer-Encoding: chunked\r\n')],
  ['gzip, chunked and a length', framed('Transfer-Encoding: gzip, chunked\r\nContent-Length: 12\r\n')],
  // Content-Length
  ['two lengths', framed('Content-Length: 2\r\nContent-Length: 12\r\n', '{}')],
  ['two equal lengths', framed('Content-Length: 2\r\nContent-Length: 2\r\n', '{}')],
  ['two lengths on one line', sized(' 2, 2')],
  ['two lengths with a space', sized(' 2 2')],
  ['a length with a sign', sized(' +2')],
  ['a negative length', sized(' -2')],
  ['a hexadecimal length', sized(' 0x2')],
  ['a length with a fraction', sized(' 2.0')],
  ['an empty length', sized('')],
  ['a length over 64 bits', sized(' 18446744073709551618')],
  ['a space before the colon of a length', framed('Content-Length : 2\r\n', '{}')],
  // Host
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', `GET / HTTP/1.1\r\n${host}Host: other\r\n\r\n`],
  ['two equal Hosts', `GET / HTTP/1.1\r\n${host}hOST: test\r\n\r\n`],
  ['two Hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${host}Host: other\r\nConnection: keep-alive\r\n\r\n`],
  ['two Hosts and an absolute URL', `GET http://test/ HTTP/1.1\r\n${host}Host: other\r\n\r\n`],
  ['two Hosts on one line', 'GET / HTTP/1.1\r\nHost: test, other\r\n\r\n'],
  ['a Host with a user', 'GET / HTTP/1.1\r\nHost: test@other\r\n\r\n'],
  ['a Host with a path', 'GET / HTTP/1.1\r\nHost: test/other\r\n\r\n'],
  // Lines
  ['bare line feeds', 'GET / HTTP/1.1\nHost: test\n\n'],
  ['a bare line feed in a header', `GET / HTTP/1.1\r\n${host}X: a\nY: b\r\n\r\n`],
  ['a bare carriage return in a header', `GET / HTTP/1.1\r\n${host}X: a\rContent-Length: 40\r\n\r\n`],
  ['a folded header', `GET / HTTP/1.1\r\n${host}X: a\r\n Content-Length: 40\r\n\r\n`],
  ['a header without a colon', `GET / HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
  ['a NUL in a header name', `GET / HTTP/1.1\r\n${host}Content-Length\x00: 40\r\n\r\n`],
  ['101 header lines', `GET / HTTP/1.1\r\n${host}${many}\r\n`, 431],
  // Version, and expectations
  ['HTTP/1.2', `GET / HTTP/1.2\r\n${host}\r\n`],
  ['HTTP/1.10', `GET / HTTP/1.10\r\n${host}\r\n`],
  ['an unknown expectation', framed('Expect: 200-ok\r\nContent-Length: 2\r\n', '{}'), 417],
  ['two expectations', framed('Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 2\r\n', '{}'), 417],
]

const chunks: readonly Case[] = [
  ['a chunk length with a sign', coded(' chunked', '+2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk length with a prefix', coded(' chunked', '0x2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk length over 64 bits', coded(' chunked', '10000000000000002\r\n{}\r\n0\r\n\r\n')],
  ['chunks with bare line feeds', coded(' chunked', '2\n{}\n0\n\n')],
  ['a bare line feed in a chunk extension', coded(' chunked', '2;a\n{}\r\n0\r\n\r\n')],
]

const shapeOf = ([title, bytes, status = 400]: Case): Shape => ({ title, bytes, status })

export const ambiguousHeads = heads.map(shapeOf)

/** Their heads are valid. */
export const ambiguousChunks = chunks.map(shapeOf)
