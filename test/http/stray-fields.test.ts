import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { protocolErrors } from '../../src/http/errors.ts'
import { fieldErrors, fields, flag, optional, readFields, readQuery, refusing, strict } from '../../src/http/fields.ts'
import { fieldNames, fieldReader } from '../../src/http/json-body.ts'
import { type Refusal, Refused } from '../../src/http/refusal.ts'

const refusal = (message: string): Refusal => ({ status: 400, message })
const [empty, bad, stray] = ['empty', 'bad', 'stray'].map(refusal) as [Refusal, Refusal, Refusal]

/** What is read, or the refusal and the name in it. */
const answer = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    assert.ok(error instanceof Refused)
    return [error.refusal, error.texts.PARAMETER]
  }
}

describe('A strict query', () => {
  const spec = strict(fields({ user: optional({ empty }), q: optional(), banned: flag(bad) }))
  const read = (search: string) => answer(() => readQuery(spec, search))

  it('refuses every undeclared name, and reports it', () => {
    for (const name of ['users', 'User', 'constructor', '__proto__', 'toString', 'q[]'])
      assert.deepEqual(read(`user=ann&${name}=1`), [protocolErrors.unknownParameter, name])
    assert.deepEqual(read('=1'), [protocolErrors.unknownParameter, ''])
  })

  it('shows at most 64 characters of a name, only ASCII, and nothing that may be a secret', () => {
    const shown = (name: string) => (read(name) as unknown[])[1]
    assert.equal(shown(`%00%F0%9F%A6%8A${'x.'.repeat(100)}`), `???${'x.'.repeat(30)}x`)
    assert.equal(shown(`key:mng_${'x'.repeat(38)}`), 'key:...')
  })

  it('accepts declared names, and the first of repeated values', () => {
    assert.deepEqual(read(''), {})
    assert.deepEqual(read('user=ann&q=&banned=true'), { user: 'ann', banned: true })
    assert.deepEqual(read('user=ann&user=bob&user='), { user: 'ann' })
  })

  it('refuses an empty value if the field requires one, after unknown names and before invalid values', () => {
    for (const search of ['user=', 'user', 'user=&user=ann', 'banned=x&user='])
      assert.deepEqual(read(search), [empty, undefined])
    assert.deepEqual(read('user=&other=1'), [protocolErrors.unknownParameter, 'other'])
  })

  it('declares its refusals in the order of the checks', () => {
    assert.deepEqual(fieldErrors(spec), [protocolErrors.unknownParameter, empty, bad])
  })
})

describe('Fields with reserved names', () => {
  const isStray = (name: string) => name.startsWith('x')
  const spec = refusing({ refusal: stray, isStray }, fields({ xa: optional(), b: optional() }))
  const read = (body: unknown) => answer(() => readFields(spec, fieldReader(body), fieldNames(body)))

  it('refuse only those, with any value, and never a declared one', () => {
    assert.deepEqual(read({ xa: '1', b: '2', c: '3' }), { xa: '1', b: '2' })
    for (const value of [null, '', 0, {}]) assert.deepEqual(read({ b: '2', xb: value }), [stray, 'xb'])
    for (const body of [undefined, null, 7, 'xb', []]) assert.deepEqual(read(body), {})
  })
})

describe('A parameter that must be unambiguous', () => {
  const read = (search: string) => answer(() => readQuery(fields({ dry: { ...flag(bad), isUnanimous: true } }), search))

  it('may be repeated with the same value, and not with another', () => {
    assert.deepEqual(read('dry=true&dry=true'), { dry: true })
    for (const search of ['dry=true&dry=false', 'dry=false&dry=', 'dry=false&other&dry=true'])
      assert.deepEqual(read(search), [bad, undefined])
  })
})
