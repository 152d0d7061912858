import assert from 'node:assert/strict'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isFullSize, someOf } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { Running } from './processes.ts'

const skip = process.platform === 'win32' && 'modes are of POSIX'

describe('DATA_DIR', { skip, concurrency: true }, () => {
  const programs = ['api', 'status-worker'] as const
  const modes = [
    [0o705, true],
    [0o750, true],
    [0o700, false],
  ] as const
  for (const program of isFullSize ? programs : programs.slice(1))
    for (const [mode, isOpen] of someOf(1, modes))
      it(`of mode ${mode.toString(8)} keeps it, and ${program} logs ${isOpen ? 'a' : 'no'} warning`, async () => {
        const folder = testFolder()
        chmodSync(folder, mode)
        const running = await Running.listening(program, { dataDir: folder })
        // After the end of the process, since a live process recreates its folder.
        const warnings = running.out.match(/^.*"level":"warn".*DATA_DIR.*$/gm) ?? []
        assert.equal(warnings.length, isOpen ? 1 : 0, running.out)
        if (isOpen) assert.equal(JSON.parse(warnings[0] ?? '').mode, `0${mode.toString(8)}`)
        assert.equal(statSync(folder).mode & 0o777, mode)
      })

  for (const program of isFullSize ? programs : programs.slice(1))
    it(`created by ${program} is private to its owner, without a warning`, async () => {
      const folder = testFolder()
      const path = join(folder, 'made')
      const running = await Running.listening(program, { env: { DATA_DIR: path } })
      assert.equal(statSync(path).mode & 0o777, 0o700)
      assert.doesNotMatch(running.out, /DATA_DIR/)
    })
})
