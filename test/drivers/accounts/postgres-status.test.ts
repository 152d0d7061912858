import assert from 'node:assert/strict'
import { it } from 'node:test'
import { whereOf } from '../../../src/drivers/accounts/postgres-status.ts'

it('A database on PostgreSQL is shown by name and server, without credentials, and by the name of the user if the URL names none', () => {
  for (const [url, where] of [
    ['postgres://app:secret@db.example/menagerie', 'menagerie on db.example:5432'],
    ['postgres://app@[::1]:6432/one%20two', 'one two on [::1]:6432'],
    ['postgres:///menagerie?host=/var/run/postgresql', 'menagerie on /var/run/postgresql:5432'],
    ['postgres://app:secret@127.0.0.1:6432', 'app on 127.0.0.1:6432'],
    ['postgres://my%20app:secret@127.0.0.1:6432/?application_name=a', 'my app on 127.0.0.1:6432'],
  ] as const)
    assert.equal(whereOf(url), where)
})
