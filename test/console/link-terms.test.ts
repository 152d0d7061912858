import assert from 'node:assert/strict'
import { it } from 'node:test'
import { linkTerms } from '../../console/src/parts/link-terms.ts'

it('The terms of an embed link tell it apart from others to the same kind, and are empty if it has none', () => {
  const none = { repeat: 'yes', orientation: null } as const
  assert.equal(linkTerms(none), '')
  assert.equal(
    linkTerms({ repeat: 'no', orientation: 'portrait', tags: ['snow', 'night'], without: ['drawing'] }),
    'No repeats. Only portrait. Tagged snow, night. Not tagged drawing.',
  )
  assert.equal(
    linkTerms({ ...none, per: 'day', tz: 'Europe/Berlin' }),
    'New image every day, by the clock of Europe/Berlin.',
  )
})
