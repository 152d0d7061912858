import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listUsers } from '../../../src/accounts/admin/list-users.ts'
import type { Directory } from '../../../src/accounts/directory.ts'
import type { Journal } from '../../../src/accounts/journal.ts'
import { JsonStreamResponse } from '../../../src/http/responses.ts'
import { accountOf } from '../../drivers/accounts/stage.ts'
import { created, UserStoreForTests } from '../../support/account-editor.ts'
import { stores } from '../../support/stores.ts'

for (const store of stores) {
  describe(`A name that changes hands during the list of all users, ${store.name}`, { skip: store.skip }, () => {
    it('aborts the list: one key for two accounts would hide the first', async () => {
      const place = await store.make()
      const editor = await UserStoreForTests.open(place)
      const accounts = Array.from({ length: 501 }, (_, n) => accountOf(`hand-${n}`))
      for (const account of accounts) await editor.users.insert(account, created)
      const [first, last] = [accounts[0]?.id ?? '', accounts[500]?.id ?? '']
      const directory: Directory = {
        ...editor.directory,
        async chunk(after, limit) {
          const users = await editor.directory.chunk(after, limit)
          if (after === null) {
            await editor.rename(first, 'moved')
            await editor.rename(last, 'hand-0')
          }
          return users
        },
      }
      const journal = { flush: async () => {} } as Journal
      const list = await listUsers({ directory, journal }, {})
      assert.ok(list instanceof JsonStreamResponse)
      let text = ''
      await assert.rejects(
        async () => {
          for await (const chunk of list.chunks) text += chunk
        },
        { message: 'hand-0 moved to another account while the users were listed' },
      )
      assert.ok(!text.endsWith('}}'))
    })
  })
}
