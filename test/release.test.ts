import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { missing, parseYaml, read } from './deploy/tools.ts'
import { makeRepository } from './support/fresh-repository.ts'
import { testFolder } from './support/test-folder.ts'

/* .ci/run makes the whole dry run. */

const { version, scripts } = JSON.parse(read('package.json'))

function release(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.ts', ...args], {
    cwd,
    encoding: 'utf8',
  })
  return { status, stdout, stderr: stderr.trim() }
}

describe('A release', () => {
  it('is refused for another version, for one that is there already, and for what is not committed', () => {
    const folder = makeRepository(join(testFolder(), 'clone'))
    const refusal = (...args: readonly string[]) => {
      const { status, stderr } = release(folder, ...args, '--dry-run')
      return [status, stderr]
    }
    assert.deepEqual(refusal(), [1, 'Usage: npm run release -- <version> [--dry-run]'])
    assert.deepEqual(refusal('v1'), [1, 'Usage: npm run release -- <version> [--dry-run]'])
    assert.deepEqual(refusal('99.0.0'), [1, 'package.json does not say "version": "99.0.0"'])
    spawnSync('git', ['tag', `v${version}`], { cwd: folder })
    assert.deepEqual(refusal(version), [1, `The tag v${version} is there already.`])
    writeFileSync(join(folder, 'new.txt'), '')
    assert.deepEqual(refusal(version), [1, 'Uncommitted changes: a release is what is committed.'])
  })

  it('is described by its part of CHANGELOG.md alone', () => {
    const { status, stdout } = release(join(import.meta.dirname, '..'), version, '--notes')
    assert.equal(status, 0)
    assert.match(stdout, /^### /)
    assert.doesNotMatch(stdout, /^## /m)
    assert.ok(read('CHANGELOG.md').includes(stdout.trim()))
  })

  it('is published by a workflow whose commands and files exist, and which tests it before', {
    skip: missing('python3'),
  }, () => {
    const [{ jobs }] = parseYaml(read('.github/workflows/release.yml'))
    const stepsOf = (job: { steps: { run?: string }[] }) => job.steps.flatMap(({ run }) => run ?? [])
    assert.ok(stepsOf(jobs.check).includes('bash .ci/run'))
    assert.deepEqual(
      [jobs.packages.needs, jobs.image.needs, jobs.publish.needs],
      ['check', 'check', ['packages', 'image']],
    )
    assert.ok(stepsOf(jobs.publish).some((command) => command.includes('scripts/release.ts')))
    const [{ jobs: ofCi }] = parseYaml(read('.github/workflows/ci.yml'))
    assert.ok(stepsOf(ofCi.check).includes('bash .ci/run'))
    assert.equal(scripts.release, 'node scripts/release.ts')
  })
})
