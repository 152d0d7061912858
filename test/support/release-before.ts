import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isFullSize } from './size.ts'
import { testFolder } from './test-folder.ts'

const root = join(import.meta.dirname, '../..')
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
/** The newest commit named. 0.1 has none: it refuses every newer schema. */
const commit = /^## \d+\.\d+\.\d+ \((?:unreleased; since )?([0-9a-f]{7,40})\)$/m.exec(changelog)?.[1]
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, maxBuffer: 2 ** 30 })

/** Why a test with the previous release is skipped. */
export const releaseBeforeSkip: string | false = isFullSize ? whyNot() : 'in npm run test:all'

function whyNot(): string | false {
  if (commit === undefined) throw new Error('CHANGELOG.md names no commit of a release')
  if (git('cat-file', '-e', `${commit}^{commit}`).status === 0) return false
  const why = `the history has no commit ${commit}, of the release before`
  if (process.env.CI) throw new Error(`${why}, and in CI this may not be skipped`)
  return why
}

/** Checks out the previous release until the end of the test; returns the folder. */
export function checkOutReleaseBefore(): string {
  const folder = testFolder()
  const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: git('archive', commit ?? '').stdout })
  assert.equal(status, 0, String(stderr))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
