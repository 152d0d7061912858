import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Upload } from '../../../images/object-store.ts'
import { giveBack } from '../../../lib/give-back.ts'
import { abortable } from '../abortable.ts'

const gatherBytes = 65_536

/** Streams a body to a file with back-pressure, one chunk in memory; small ones are buffered. */
export async function receive(
  file: FileHandle,
  { body, size, isGivenAway, signal }: Pick<Upload, 'body' | 'size' | 'isGivenAway' | 'signal'>,
): Promise<{ size: number; md5: string }> {
  const md5 = createHash('md5')
  const gathered = Buffer.allocUnsafeSlow(gatherBytes)
  let [total, filled] = [0, 0]
  for await (const chunk of abortable(body, signal)) {
    total += chunk.length
    if (size !== null && total > size) throw new Error(`the body exceeds its announced length of ${size} bytes`)
    md5.update(chunk)
    if (filled + chunk.length > gatherBytes) {
      await file.writeFile(gathered.subarray(0, filled))
      filled = 0
    }
    if (chunk.length > gatherBytes) await file.writeFile(chunk)
    else {
      gathered.set(chunk, filled)
      filled += chunk.length
    }
    if (isGivenAway) giveBack(chunk)
  }
  if (size !== null && total !== size) throw new Error(`the body ended after ${total} of ${size} announced bytes`)
  await file.writeFile(gathered.subarray(0, filled))
  return { size: total, md5: md5.digest('hex') }
}
