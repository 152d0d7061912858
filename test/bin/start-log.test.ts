import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readCommit, readPackage } from '../../src/config/package.ts'
import { logMigration } from '../../src/drivers/migrations.ts'
import { itInFull } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { Running } from './processes.ts'

describe('The log of a start', () => {
  itInFull('names version, commit and storage drivers in one line for each program', async () => {
    const running = await Running.listening('start')
    const lines = running.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { version } = readPackage()
    const commit = readCommit()
    const api = lines.find(({ msg }) => msg === 'api is listening')
    const worker = lines.find(({ msg }) => msg === 'status worker is listening')
    assert.deepEqual(
      [api.version, api.commit, api.database, api.images, api.counters],
      [version, commit, 'SQLite', 'folder', 'memory'],
    )
    assert.deepEqual([worker.version, worker.commit, worker.state], [version, commit, 'SQLite'])
  })

  it('names both versions of a migration and its duration, and nothing for a new database', () => {
    const told: object[] = []
    const log = { info: (fields: object) => told.push(fields) }
    logMigration(log as never, { database: 'menagerie.db', from: 0, to: 3, startedAt: performance.now() })
    logMigration(log as never, { database: 'menagerie.db', from: 3, to: 3, startedAt: performance.now() })
    logMigration(log as never, { database: 'menagerie.db', from: 1, to: 3, startedAt: performance.now() })
    const { durationMs, ...rest } = told[0] as { durationMs: number }
    assert.deepEqual(
      [told.length, rest, typeof durationMs],
      [1, { database: 'menagerie.db', from: 1, to: 3 }, 'number'],
    )
  })

  it('has the commit of a clone, of a further worktree and of packed references', () => {
    const folder = testFolder()
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim()
    git('init', '--quiet')
    assert.equal(readCommit(folder), null)
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/a'), 'a')
    git('add', '.')
    git('commit', '--quiet', '--message', 'a')
    const commit = git('rev-parse', 'HEAD').slice(0, 12)
    git('worktree', 'add', '--quiet', 'further')
    assert.deepEqual([readCommit(folder), readCommit(join(folder, 'further'))], [commit, commit])
    git('pack-refs', '--all')
    assert.deepEqual([readCommit(folder), readCommit(join(folder, 'further'))], [commit, commit])
    git('checkout', '--quiet', '--detach')
    assert.equal(readCommit(folder), commit)
  })
})
