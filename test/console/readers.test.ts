import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readersText } from '../../console/src/pages/status/readers-text.ts'

describe('What the console says of an incident or of maintenance', () => {
  it('is whether anybody outside sees it, with the components that are not on the status page', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f']
    const everybody = 'The status page shows it to everybody, within 10 seconds'
    const nobody = 'Nobody outside sees it'
    for (const [shown, components, text] of [
      [null, [], `${nobody}: the status page is off.`],
      [null, ['api'], `${nobody}: the status page is off.`],
      [[], [], `${everybody}.`],
      [['api'], ['api'], `${everybody}.`],
      [['api', 'web'], ['web', 'api'], `${everybody}.`],
      [[], ['db'], `${nobody}: db is not on the status page.`],
      [['api'], ['db', 'mail'], `${nobody}: db and mail are not on the status page.`],
      [['api'], ['api', 'db'], `${everybody}, but db is not on the status page.`],
      [['api'], ['db', 'api', 'mail', 'job'], `${everybody}, but db, mail and job are not on the status page.`],
      [['api'], many, `${nobody}: 6 components are not on the status page.`],
    ] as const)
      assert.equal(readersText(shown, components), text)
  })
})
