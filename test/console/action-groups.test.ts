import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actionGroups } from '../../console/src/pages/audit/action-groups.ts'
import { actions } from '../../src/accounts/actions.ts'

describe('The groups of actions in the console', () => {
  it('have every action of the audit log once, and are sorted', () => {
    const grouped = actionGroups.flatMap(([, group]) => group)
    assert.deepEqual(grouped.toSorted(), actions.toSorted())
    for (const [label, group] of actionGroups) assert.deepEqual(group, group.toSorted(), label)
  })
})
