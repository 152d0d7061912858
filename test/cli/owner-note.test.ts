import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { ownerNote, ownerOf } from '../../src/cli/owner-note.ts'
import { testFolder } from '../support/test-folder.ts'

it('root is told what the user of the service cannot open, and nobody else is', () => {
  const note = "What was made belongs to root. If the service runs as another user, run chown -R 1000 '/srv/data'"
  assert.equal(ownerNote('/srv/data', 1000, 0), note)
  for (const [owner, self] of [
    [0, 0],
    [1000, 1000],
  ] as const)
    assert.equal(ownerNote('/srv/data', owner, self), null)
  assert.equal(ownerOf(join(testFolder(), 'not', 'there')), process.getuid?.())
})
