import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { answerOf, type Cast, cast, refused, stateOf, stranger } from '../../support/people.ts'
import { someOf } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const acts: Record<string, object> = {
  '/admin/ban': {},
  '/admin/unban': {},
  '/admin/user/revoke-token': {},
  '/admin/user/reset-password': {},
  '/admin/user/edit/role': { role: 'support' },
  '/admin/user/edit/username': { newUsername: 'renamed' },
}

const badDryRun = refused(400, 'dryRun must be true or false')
const inBody = refused(400, 'dryRun belongs in the query, not in the body')
const unknown = (name: string) => refused(400, `Unknown parameter: ${name}; for a dry run, send dryRun=true`)

/** Names as they are sent, and as the reply shows them. */
const alike: readonly (readonly [sent: string, shown: string])[] = [
  ...'dryrun DRYRUN DryRun dry_run dry-run dry.run dryRun[] x?dryRun amp;dryRun isDryRun dry dryRum drRun dyrRun dryRuun'
    .split(' ')
    .map((name) => [name, name] as const),
  ['dryRun%20', 'dryRun '],
  ['+dryRun', ' dryRun'],
  ['dryRun%00', 'dryRun?'],
  ['dryRun%2520', 'dryRun%20'],
  ['dr%D1%83Run', 'dr?Run'],
  ['%EF%BD%84ryRun', '?ryRun'],
  // It may be an API key.
  [`dryRun${'x'.repeat(5_000)}`, '...'],
]

for (const store of stores) {
  describe(`A dry run on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const post = async (path: string, body: unknown) =>
      answerOf(await stage.service.request('POST', path, { token: people.owner.accessToken, body }))

    for (const [path, terms] of Object.entries(acts)) {
      describe(`of ${path}`, () => {
        let target: { id: string }
        let state: object
        const look = async () => {
          const { user, ban } = (await stateOf(stage, target.id, people.owner.accessToken)) as Record<string, unknown>
          return { user, ban, tokenHash: (await stage.accounts.find(target.id)).tokenHash }
        }
        before(async () => {
          target = await stranger(stage)
          await stage.accounts.change(target.id, 'login', { tokenHash: 'signed in' })
          if (path === '/admin/unban') await stage.accounts.ban(target.id)
          state = await look()
        })
        const act = (query: string, more: object = {}) => post(path + query, { userId: target.id, ...terms, ...more })

        it('has dryRun in its reply, on every repetition', async () => {
          for (const query of [
            '?dryRun=true',
            '?dryRun=1',
            '?dryRun=yes',
            '?dryRun=true&dryRun=true',
            '?other=1&dryRun=true',
          ]) {
            const [status, body] = await act(query)
            assert.deepEqual([status, (body as { dryRun?: unknown }).dryRun], [200, true], query)
          }
          assert.deepEqual(await look(), state)
        })

        it('is never executed: a misspelled parameter is 400', async () => {
          for (const [sent, shown] of path === '/admin/ban' ? alike : someOf(4, alike)) {
            assert.deepEqual(await act(`?${sent}=true`), unknown(shown), sent)
            assert.deepEqual(await act(`?dryRun=false&${sent}`), unknown(shown), sent)
          }
          assert.deepEqual(await look(), state)
        })

        it('is never executed: any other value, or two different ones, is 400', async () => {
          const values = ['', '2', 'on', 'TRUE', 'Yes', 'true%20', 'null', 'true,false']
          for (const value of path === '/admin/ban' ? values : someOf(2, values))
            assert.deepEqual(await act(`?dryRun=${value}`), badDryRun, value)
          const queries = ['?dryRun', '?dryRun=false&dryRun=true', '?dryRun=true&dryRun=false', '?dryRun=false&dryRun']
          for (const query of queries) assert.deepEqual(await act(query), badDryRun, query)
          assert.deepEqual(await look(), state)
        })

        it('is never executed: any dryRun in the body is 400', async () => {
          for (const name of someOf(3, ['dryRun', 'dryrun', 'dry_run', 'DRY-RUN', 'dryRun ', 'dryRum'])) {
            for (const value of [true, false, 'true', null, 0, {}])
              assert.deepEqual(await act('', { [name]: value }), inBody, name)
            assert.deepEqual(await act('?dryRun=true', { [name]: true }), inBody, name)
          }
          assert.deepEqual(await look(), state)
        })

        it('is not requested by dryRun=false, which acts and has no dryRun in its reply', async () => {
          const [status, body] = await act('?dryRun=false&unknown=1&dr=1&run=1&dayrate=1')
          const made = path === '/admin/user/reset-password' ? ['password'] : []
          assert.deepEqual([status, Object.keys(body as object)], [200, ['status', 'message', 'user', ...made]])
          assert.notDeepEqual(await look(), state)
        })
      })
    }
  })
}
