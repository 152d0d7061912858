import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { packTar } from 'modern-tar'
import { readCursor, writeCursor } from '../../src/accounts/admin/page.ts'
import { createEmbedTokens } from '../../src/accounts/embed-tokens.ts'
import { makeSecret, readSecret } from '../../src/accounts/key-secret.ts'
import { createTokens } from '../../src/accounts/tokens.ts'
import { extract } from '../../src/cli/backup/archive-reader.ts'
import { Failed } from '../../src/cli/failure.ts'
import { fillTemplate, parseTemplate, templateFields } from '../../src/drivers/status-pages/template.ts'
import { Refused } from '../../src/http/refusal.ts'
import { parseNetworks } from '../../src/lib/address.ts'
import { cronProblem, nextRun } from '../../src/lib/cron.ts'
import { createIds } from '../../src/lib/ids.ts'
import { temporaryFolder } from '../support/folder.ts'

const clock = { now: () => 1_800_000_000_000, monotonic: () => 0 }
const newId = createIds(clock)
const secret = 'a secret of at least thirty-two characters'

/** A text with one character replaced, put in or left out. */
const changed = (text: string) =>
  fc
    .tuple(fc.nat(Math.max(text.length - 1, 0)), fc.string({ maxLength: 1 }), fc.nat(1))
    .map(([at, put, left]) => text.slice(0, at) + put + text.slice(at + left))

const cursor = fc.maxSafeInteger().map((value) => ({ sort: 'total', value, id: newId() }))
const cursors = fc.property(fc.oneof(fc.string(), cursor.map(writeCursor).chain(changed)), cursor, (text, made) => {
  assert.deepEqual(readCursor(writeCursor(made), ['total']), made)
  try {
    assert.equal(writeCursor(readCursor(text, ['total'])), text)
  } catch (error) {
    assert.ok(error instanceof Refused, String(error))
  }
})

const tokens = createTokens({ secret, ttlMs: 60_000, clock, newId })
const userId = newId()
const { token, verified } = await tokens.issue(userId)
const signedLength = token.lastIndexOf('.') + 1
const [signed, macText] = [token.slice(0, signedLength), token.slice(signedLength)]
const accessTokens = fc.asyncProperty(fc.oneof(fc.string(), changed(token)), async (text) => {
  const read = await tokens.read(`Bearer ${text}`)
  // The last character of a signature has two bits that mean nothing; the hash of the token tells such texts apart.
  const [head, signature = ''] = [text.trim().slice(0, signedLength), text.trim().slice(signedLength)]
  const isSigned = head === signed && Buffer.from(signature, 'base64url').equals(Buffer.from(macText, 'base64url'))
  assert.equal(read?.userId ?? null, isSigned && /^[\w-]+$/.test(signature) ? userId : null)
  assert.equal(read?.tokenHash === verified.tokenHash, text.trim() === token)
})

const embedTokens = createEmbedTokens(secret)
const embedToken = embedTokens.of(userId)
const linkTokens = fc.property(fc.oneof(fc.string(), changed(embedToken)), (text) => {
  assert.equal(embedTokens.read(text), text === embedToken ? userId : null)
})

const key = makeSecret()
const keys = fc.property(fc.oneof(fc.string(), changed(key)), (text) => {
  assert.equal(typeof readSecret(`Bearer ${text}`) === 'string', text.trim() === key)
})

const fields = Object.fromEntries(Object.keys(templateFields).map((name) => [name, `<${name}>`])) as never
const templatePiece = fc.oneof(fc.constantFrom('{{', '}}', ...Object.keys(templateFields), ' '), fc.string())
const templates = fc.property(
  fc.array(templatePiece).map((pieces) => pieces.join('')),
  (text) => {
    const template = parseTemplate(text)
    if (typeof template === 'string') return
    const expected = text.replace(/\{\{(.*?)\}\}/gs, (_, name: string) => `<${name.trim()}>`)
    assert.equal(fillTemplate(template, fields), expected)
  },
)

const cronField = fc.oneof(
  fc.constantFrom('*', '*/5', '1-5', '0', '31', 'L', 'mon', '5#2', '?', '1,2', '0-0/0', '60'),
  fc.string({ unit: fc.constantFrom(...'0123456789*/,-L#?W+ '), maxLength: 8 }),
)
const cronText = fc.array(cronField, { minLength: 4, maxLength: 6 }).map((parts) => parts.join(' '))
const cronExpressions = fc.property(fc.oneof(cronText, fc.string()), (expression) => {
  if (cronProblem(expression) !== null) return
  const next = nextRun({ expression, tz: 'UTC' }, 0)
  assert.ok(next !== null && next > 0 && next % 60_000 === 0, `${expression}: ${next}`)
})

const networks = fc.property(fc.ipV4(), fc.nat(40), fc.string(), (address, prefix, text) => {
  if (prefix > 32) assert.throws(() => parseNetworks(`${address}/${prefix}`), /is not an IP address or CIDR/)
  else assert.ok(parseNetworks(`${address}/${prefix}`).has(address))
  try {
    parseNetworks(text)
  } catch (error) {
    assert.match(String(error), /is not an IP address or CIDR/)
  }
})

const names = ['jwt-secret', 'buckets/images/fox/a.png', '../escaped', '/etc/escaped', 'accounts.db', 'SHA256SUMS']
const archives = fc.asyncProperty(
  fc.oneof(fc.uint8Array({ maxLength: 2_000 }), fc.subarray(names)),
  fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 6 }),
  async (given, changes) => {
    const bytes = Uint8Array.from(
      given instanceof Uint8Array
        ? given
        : await packTar(given.map((name) => ({ header: { name, size: 1, type: 'file' as const }, body: 'a' }))),
    )
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
    const { path, remove } = temporaryFolder()
    const [into, work] = [join(path, 'into'), join(path, 'work')]
    for (const folder of [into, work]) mkdirSync(folder)
    try {
      // None of these has the checksums at its end.
      await assert.rejects(
        extract(ReadableStream.from([bytes]), { into, work, signal: new AbortController().signal }),
        (error) => error instanceof Failed,
      )
    } finally {
      await remove()
    }
  },
)

/** By name; each with its runs in full size for a second of the budget. */
export const parsers: readonly (readonly [name: string, fc.IRawProperty<unknown>, perSecond: number])[] = [
  ['cursors', cursors, 5000],
  ['access tokens', accessTokens, 3000],
  ['tokens of embed links', linkTokens, 5000],
  ['API keys', keys, 5000],
  ['templates', templates, 5000],
  ['cron expressions', cronExpressions, 500],
  ['networks', networks, 3000],
  ['archives', archives, 50],
] as never
