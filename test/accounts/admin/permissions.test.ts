import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayBan, mayChangeRole, mayCreate, mayRename } from '../../../src/accounts/admin/permissions.ts'
import { permitted, type Role, roles } from '../../../src/accounts/roles.ts'

/** Whom each role outranks: typed by hand from interface.md §3.1. */
const below: Readonly<Record<Role, readonly Role[]>> = {
  user: [],
  support: ['user'],
  moderator: ['user', 'support'],
  admin: ['user', 'support', 'moderator'],
  owner: ['user', 'support', 'moderator', 'admin'],
}

describe('The rules of permissions', () => {
  it('list five roles in ascending order', () => {
    assert.deepEqual(roles, ['user', 'support', 'moderator', 'admin', 'owner'])
  })

  it('open each part of the administration from one role upwards', () => {
    assert.deepEqual(permitted, {
      findUser: ['support', 'moderator', 'admin', 'owner'],
      readStatus: ['support', 'moderator', 'admin', 'owner'],
      moderate: ['moderator', 'admin', 'owner'],
      administer: ['admin', 'owner'],
    })
  })

  for (const actor of roles) {
    it(`let ${actor} create only ${below[actor].join(', ') || 'nobody'}`, () => {
      assert.deepEqual(
        roles.filter((role) => mayCreate(actor, role)),
        below[actor],
      )
    })

    it(`let ${actor} ban and rename only ${below[actor].join(', ') || 'nobody'}`, () => {
      assert.deepEqual(
        roles.filter((target) => mayBan(actor, target)),
        below[actor],
      )
      assert.deepEqual(
        roles.filter((target) => mayRename(actor, target)),
        below[actor],
      )
    })

    for (const target of roles) {
      const given = below[actor].includes(target) ? below[actor] : []
      it(`let ${actor} give ${target} ${given.length > 0 ? `only the role ${given.join(', ')}` : 'no role'}`, () => {
        assert.deepEqual(
          roles.filter((role) => mayChangeRole(actor, target, role)),
          given,
        )
      })
    }
  }
})
