import assert from 'node:assert/strict'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { someOf } from '../support/size.ts'
import { Running } from './processes.ts'

const skip = process.platform === 'win32' && 'modes are of POSIX'

describe('DATA_DIR', { skip }, () => {
  for (const program of ['api', 'status-worker'] as const) {
    for (const [mode, isOpen] of someOf(1, [
      [0o705, true],
      [0o750, true],
      [0o700, false],
    ] as const))
      it(`of mode ${mode.toString(8)} stays so, and ${program} logs ${isOpen ? 'a' : 'no'} warning`, async (t) => {
        const folder = temporaryFolder()
        chmodSync(folder.path, mode)
        const running = await Running.listening(t, program, { dataDir: folder.path })
        // After the process's own end, since a process that lives makes its folder again.
        t.after(folder.remove)
        const warnings = running.out.match(/^.*"level":"warn".*DATA_DIR.*$/gm) ?? []
        assert.equal(warnings.length, isOpen ? 1 : 0, running.out)
        if (isOpen) assert.equal(JSON.parse(warnings[0] ?? '').mode, `0${mode.toString(8)}`)
        assert.equal(statSync(folder.path).mode & 0o777, mode)
      })

    it(`created by ${program} is private to its owner, without a warning`, async (t) => {
      const folder = temporaryFolder()
      const path = join(folder.path, 'made')
      const running = await Running.listening(t, program, { env: { DATA_DIR: path } })
      t.after(folder.remove)
      assert.equal(statSync(path).mode & 0o777, 0o700)
      assert.doesNotMatch(running.out, /DATA_DIR/)
    })
  }
})
