import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeIn, fitsRule } from '../../console/src/session/first-owner-form.ts'
import { errors } from '../../src/accounts/errors.ts'
import { createOwnerCode } from '../../src/accounts/owner-code.ts'
import { isAllowedPassword } from '../../src/accounts/passwords.ts'
import { fakeClock } from '../support/clock.ts'

describe('The form of the first owner', () => {
  it('accepts every code that the service makes, in either case and with spaces around, and nothing else', () => {
    for (let round = 0; round < 500; round++) {
      const code = createOwnerCode(fakeClock()).open()
      assert.equal(codeIn(code), code)
      assert.equal(codeIn(` ${code.toUpperCase()}\n`), code)
      for (const wrong of [code.slice(1), `${code}a`, `${code.slice(1)}0`, `${code.slice(1)}l`, `${code.slice(1)} `])
        assert.equal(codeIn(wrong), null, wrong)
    }
  })

  it('accepts the passwords that the service accepts, and no other', () => {
    const least = 8
    const rule = errors.badPassword.message.replace('<PASSWORD_MIN_LENGTH>', String(least))
    for (const password of [
      ...[0, 1, least - 1, least, least + 1, 1_023, 1_024, 1_025].map((length) => 'a'.repeat(length)),
      ...['é'.repeat(512), 'é'.repeat(513), '🦊'.repeat(least - 1), '🦊'.repeat(least)],
    ])
      assert.equal(fitsRule(password, rule), isAllowedPassword(password, least), `${password.length} characters`)
  })
})
