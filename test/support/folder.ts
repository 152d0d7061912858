import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Named after the test file or shard, so that a leftover folder tells whose it was. */
export function temporaryFolder(): { path: string; remove(): void } {
  const file = basename(process.argv[1] ?? '').split('.')[0]
  const path = mkdtempSync(join(tmpdir(), `menagerie-${file}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}
