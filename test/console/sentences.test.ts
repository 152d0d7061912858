import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fieldNames, sentenceOf, sentences } from '../../console/src/parts/sentences.ts'
import { reportActions } from '../../src/images/reports.ts'

const reference = readFileSync(join(import.meta.dirname, '../../docs/reference.md'), 'utf8')
/** The messages of the API and of the status worker, as they are in the reference. */
const messages = [...reference.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)

describe('What the console says in place of the messages for programs', () => {
  it('is for messages that the service still has', () => {
    for (const text of Object.keys(sentences)) assert.ok(messages.includes(text), text)
    for (const name of Object.keys(fieldNames))
      assert.ok(
        messages.some((text) => text.startsWith(`${name} must `)),
        name,
      )
  })

  it('says what a username has, and leaves other messages as they are', () => {
    assert.equal(sentenceOf('Username already exists'), 'Username already exists')
    assert.equal(
      sentenceOf('Unable to sanitize username. Please try again later or report this to zoe.'),
      'A username has 3 to 32 letters, digits, underscores, hyphens and dots.',
    )
    assert.equal(sentenceOf('tz must be a time zone'), 'The time zone must be a time zone')
    assert.equal(sentenceOf('limitPerMinute must be 5'), 'Requests per minute must be 5')
  })

  it('says what another moderator has decided', () => {
    assert.deepEqual(
      reportActions.map((action) => sentenceOf(`Report was already resolved: ${action}`)),
      ['kept', 'hidden', 'deleted'].map((done) => `Somebody has already ${done} this image.`),
    )
  })

  it('names no field of a form in which one types as programs do', () => {
    const forms = globSync(join(import.meta.dirname, '../../console/src/**/*.tsx'))
    const fields = forms.flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/<(?:Field|TextArea)\b[^<>]*? name="(\w+)"[^<>]*/g),
    ])
    const names = fields.filter(([field]) => !field.includes('type="datetime')).map(([, name = '']) => name)
    const found = messages.filter((text) => names.some((name) => text.startsWith(`${name} must `)))
    assert.ok(found.length >= 20, found.join('\n'))
    for (const text of found) assert.notEqual(sentenceOf(text), text)
    const inside = /^(duration|expectWithin|grace|maxRun)Seconds |^limitPerMinute |^(bucket|object)Name is /
    for (const text of messages.filter((each) => inside.test(each)))
      assert.doesNotMatch(sentenceOf(text), /[a-z][A-Z]/, text)
    for (const text of messages.filter((text) => /^(bucket|object)Name is /.test(text)))
      assert.notEqual(sentenceOf(text), text)
  })
})
