import { atEnd } from './at-end.ts'
import { temporaryFolder } from './folder.ts'

/** A folder that is removed at the end of the test. */
export function testFolder(): string {
  const { path, remove } = temporaryFolder()
  atEnd(remove)
  return path
}
