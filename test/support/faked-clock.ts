import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from './test-folder.ts'

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

/** Why no clock of a process can be set here; false if it can. Never skipped in CI. */
export const noFakedClock: string | false = library === undefined && !process.env.CI && 'needs libfaketime (faketime)'

/** The environment of a process whose wall clock is set by `step`, by terms like `+1h` and `-1d` off the real time. */
export function fakedClock(): { env: Record<string, string>; step(terms: string): void } {
  const file = join(testFolder(), 'clock')
  const step = (terms: string) => writeFileSync(file, `${terms}\n`)
  step('+0')
  return {
    step,
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
