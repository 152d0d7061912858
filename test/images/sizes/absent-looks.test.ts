import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Catalogue } from '../../../src/images/catalogue.ts'
import { AbsentLooks } from '../../../src/images/sizes/absent-looks.ts'
import { noLooks } from '../../../src/images/sizes/looks.ts'
import { createLogs } from '../../../src/process/logger.ts'
import { fakeClock } from '../../support/clock.ts'

const dayMs = 86_400_000

it('What is known of deleted images is removed once a day, and by the next listing if that failed', async () => {
  const clock = fakeClock()
  const lines: string[] = []
  const { log } = createLogs('info', clock, { write: (line) => lines.push(line), flush() {} })
  const removed: string[][] = []
  let isAway = true
  const looks = {
    ...noLooks,
    async names(after: string) {
      if (isAway) throw new Error('away')
      return after === '' ? ['fox/gone.png'] : []
    },
    remove: async (names: readonly string[]) => void removed.push([...names]),
  }
  const absent = new AbsentLooks({ looks, kinds: new Set(['fox']), clock, log })
  const listed = async () => {
    absent.listed({ find: () => null } as unknown as Catalogue)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await listed()
  assert.match(lines.join(), /could not remove what is known/)
  isAway = false
  for (const [passMs, times] of [
    [0, 1],
    [dayMs - 1, 1],
    [1, 2],
  ] as const) {
    clock.advance(passMs)
    await listed()
    assert.equal(removed.length, times)
  }
  await absent.close()
})
