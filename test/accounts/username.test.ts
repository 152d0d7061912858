import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isUsername, isUsernamePart } from '../../src/accounts/username.ts'

const allowed = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-'

describe('A username', () => {
  it('is 3 to 32 letters, digits, underscores, dots and hyphens', () => {
    for (const each of allowed) assert.equal(isUsername(`${each}${each}${each}`), true, each)
    for (const name of ['abc', 'a'.repeat(32), '...', '-_-', '__proto__']) assert.equal(isUsername(name), true, name)
    for (const name of ['', 'a', 'ab', 'a'.repeat(33)]) assert.equal(isUsername(name), false, name)
  })

  it('has no other character anywhere', () => {
    for (const each of [...' /\\\0\n%@:+,"\'<&', 'é', 'ſ', '\u212a', '💥'])
      for (const name of [`${each}abc`, `ab${each}c`, `abc${each}`]) {
        assert.equal(isUsername(name), false, JSON.stringify(name))
        assert.equal(isUsernamePart(name), false, JSON.stringify(name))
      }
  })

  it('can contain a text of 1 to 32 of them, so a search for any other text finds nobody', () => {
    for (const part of ['a', 'ab', '.', 'a'.repeat(32)]) assert.equal(isUsernamePart(part), true, part)
    for (const part of ['', 'a'.repeat(33)]) assert.equal(isUsernamePart(part), false, part)
  })
})
