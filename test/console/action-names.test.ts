import assert from 'node:assert/strict'
import { it } from 'node:test'
import { actionGroups, actionNames } from '../../console/src/parts/action-names.ts'
import { actions } from '../../src/accounts/actions.ts'

it('Every action of the audit log is in one group of the filter, by the order of their names, which differ', () => {
  const grouped = actionGroups.flatMap(([, names]) => Object.keys(names))
  assert.deepEqual(grouped.toSorted(), actions.toSorted())
  for (const [label, names] of actionGroups)
    assert.deepEqual(
      Object.values(names),
      Object.values(names).toSorted((one, other) => one.localeCompare(other, 'en')),
      label,
    )
  assert.equal(new Set(Object.values(actionNames)).size, actions.length)
})
