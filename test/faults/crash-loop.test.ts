import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CrashReport, crashLoop, writers } from '../support/crash-loop.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const kills = Number(process.env.CRASH_KILLS || sized(1, 5, 20))
const seed = seedOr(1)
const hook = { timeout: (kills + 2) * 30_000 }

describe(`kill -9 while ${writers} writers register and log in, on SQLite: ${kills} kills, seed ${seed}`, () => {
  let dataDir: string
  let report: CrashReport
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'menagerie-crash-'))
    report = await crashLoop({ dataDir, kills, seed })
  }, hook)
  after(() => rm(dataDir, { recursive: true, force: true }))

  test('the service was killed while busy', (t) => {
    const { registers, logins, unknown } = report
    t.diagnostic(`${registers} registers and ${logins} logins answered, ${unknown} requests cut off`)
    assert.ok(registers >= kills && logins >= kills && unknown >= kills)
    assert.deepEqual(report.refusals, [])
  })
  test('the account of an answered registration can log in', () => assert.deepEqual(report.lost, []))
  test('the token of the last answered login is valid, and a replaced one does not come back', () =>
    assert.deepEqual(report.tokens, []))
  test('the account of an unanswered registration has its password, or its name is free', () =>
    assert.deepEqual(report.torn, []))
  test('the database is intact after every kill', () => assert.deepEqual(report.damage, []))
})
