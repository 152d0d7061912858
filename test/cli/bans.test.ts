import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { fakeClock } from '../support/clock.ts'
import { itInFull } from '../support/size.ts'
import { type Store, stores } from '../support/stores.ts'
import { tool, toolHere, toolJson, toolProcess } from './tool.ts'

const until = '2199-12-31T00:00:00.000Z'

for (const store of stores) {
  describe(`a ban by the tool, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let accounts: UserStoreForTests
    let name = ''
    let count = 0
    const ban = (...args: string[]) => toolHere(place.env, ['user', 'ban', name, '--yes', ...args])
    const show = async () => (await toolJson(place.env, ['user', 'show', name])).user
    const rows = async (clock = systemClock) => {
      const { stdout } = await toolHere(place.env, ['user', 'show', name], '', clock)
      return new Map(stdout.split('\n').map((line) => [line.slice(0, 9).trim(), line.slice(11)] as const))
    }
    const banOf = async () => (await accounts.users.find({ username: name }))?.ban

    before(async () => {
      place = await store.make()
      await toolJson(place.env, ['user', 'create', 'first'], 'correct horse battery')
      accounts = await UserStoreForTests.open(place)
    })
    beforeEach(async () => {
      name = `person-${++count}`
      await accounts.insert(name, 'correct horse battery')
    })

    it('has a reason and an end, which show prints', async () => {
      const { code, stdout } = await ban('--reason', 'Spam, again', '--until', '2199-12-31T02:00+02:00')
      assert.deepEqual([code, stdout], [0, `${name} is banned.\n`])
      const shown = await rows()
      assert.deepEqual([shown.get('banned'), shown.get('reason'), shown.get('until')], ['yes', 'Spam, again', until])
      assert.partialDeepStrictEqual(await banOf(), { reason: 'Spam, again', until: Date.parse(until), by: 'cli' })
    })

    it('has neither by default, nor with an empty reason', async () => {
      for (const args of [[], ['--reason', '']]) {
        assert.equal((await ban(...args)).code, 0)
        assert.partialDeepStrictEqual(await banOf(), { reason: null, until: null, by: 'cli' })
        const shown = await rows()
        assert.deepEqual([shown.get('banned'), shown.has('reason'), shown.has('until')], ['yes', false, false])
        await toolJson(place.env, ['user', 'unban', name])
      }
    })

    it('ends by itself', async () => {
      await ban('--reason', 'Spam', '--until', until)
      const last = fakeClock(Date.parse(until) - 1)
      assert.equal((await rows(last)).get('banned'), 'yes')
      const later = fakeClock(Date.parse(until))
      const shown = await rows(later)
      assert.deepEqual([shown.get('banned'), shown.has('reason'), shown.has('until')], ['no', false, false])
      const run = (...args: string[]) => toolHere(place.env, ['user', ...args], '', later)
      assert.doesNotMatch((await run('list', '--banned')).stdout, new RegExp(name))
      assert.equal((await run('unban', name)).stdout, `${name} is not banned; nothing was changed.\n`)
      assert.deepEqual(await run('ban', name, '--yes'), { code: 0, stdout: `${name} is banned.\n`, stderr: '' })
      assert.partialDeepStrictEqual(await banOf(), { reason: null, since: later.now(), until: null })
    })

    it('is not changed by a second ban', async () => {
      await ban('--reason', 'The first')
      const { code, stdout } = await ban('--reason', 'The second', '--until', until)
      assert.deepEqual(
        [code, stdout],
        [0, `${name} is already banned; for other terms, lift the ban first; nothing was changed.\n`],
      )
      assert.partialDeepStrictEqual(await banOf(), { reason: 'The first', until: null })
    })

    it('with an invalid time is wrong usage, in one line', async () => {
      for (const time of ['tomorrow', '2999-02-30', '2999-12-31T25:00', '2999-02-30T00:00Z', '2999-12-31T25:00Z', '1d'])
        assert.deepEqual(await ban('--until', time), {
          code: 2,
          stdout: '',
          stderr: `Option '--until <time>' argument '${time}' is invalid. Expected a date or time in the zone of this machine, such as 2026-12-31 or 2026-12-31T18:00, or in another one, such as 2026-12-31T18:00:00Z. See --help.\n`,
        })
      assert.equal((await show()).banned, false)
    })

    it('shows its reason, start, end and author with --json', async () => {
      await ban('--reason', 'Spam', '--until', until)
      const { since, ...rest } = (await show()).ban
      assert.deepEqual([rest, typeof since], [{ reason: 'Spam', until, by: 'cli' }, 'string'])
    })

    itInFull('ends in the time zone of the machine if its date or time names none', async () => {
      const env = { ...place.env, TZ: 'America/New_York' }
      for (const [text, end] of [
        ['2199-12-31', '2199-12-31T05:00:00.000Z'],
        ['2199-07-01 12:00', '2199-07-01T16:00:00.000Z'],
      ] as const) {
        assert.equal((await toolProcess(env, ['user', 'ban', name, '--yes', '--until', text])).code, 0)
        assert.equal((await show()).ban.until, end)
        await toolHere(place.env, ['user', 'unban', name])
      }
    })

    it('with an end in the past is wrong usage', async () => {
      const now = '2026-06-01T12:00:00.000Z'
      for (const time of ['2020-01-01T00:00:00Z', now]) {
        const args = ['user', 'ban', name, '--yes', '--until', time]
        assert.deepEqual(await toolHere(place.env, args, '', fakeClock(Date.parse(now))), {
          code: 2,
          stdout: '',
          stderr: '--until: expected a time in the future.\n',
        })
      }
      assert.equal((await show()).banned, false)
    })

    it('has a reason of up to 500 characters', async () => {
      assert.deepEqual(await ban('--reason', 'x'.repeat(501)), {
        code: 2,
        stdout: '',
        stderr: '--reason: expected at most 500 characters.\n',
      })
      assert.equal((await show()).banned, false)
      assert.equal((await ban('--reason', 'x'.repeat(500))).code, 0)
      assert.equal((await rows()).get('reason'), 'x'.repeat(500))
    })

    it('prints the same in a real process for wrong options', async () => {
      const { code, stdout } = await tool(place.env, ['user', 'ban', name, '--yes', '--until', 'tomorrow'])
      assert.deepEqual([code, stdout], [2, ''])
    })

    it('is shown without terminal control sequences', async () => {
      await ban('--reason', 'red \u001b[31m and\nbanned     no\u009b2J\u202e')
      assert.equal((await rows()).get('reason'), 'red  [31m and banned     no 2J')
    })
  })
}
