import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Upload } from '../../../images/object-store.ts'
import { giveBack } from '../../../lib/give-back.ts'

const gatherBytes = 65_536

/** Writes a body to a file no faster than the disk takes it, with one piece in memory; small ones are put together. */
export async function receive(
  file: FileHandle,
  { body, size, isGivenAway, signal }: Pick<Upload, 'body' | 'size' | 'isGivenAway' | 'signal'>,
): Promise<{ size: number; md5: string }> {
  const md5 = createHash('md5')
  const gathered = Buffer.allocUnsafeSlow(gatherBytes)
  let [total, filled] = [0, 0]
  for await (const chunk of endedBy(body, signal)) {
    total += chunk.length
    if (size !== null && total > size) throw new Error(`the body is longer than the ${size} bytes announced`)
    md5.update(chunk)
    if (filled + chunk.length > gatherBytes) {
      await writeAll(file, gathered.subarray(0, filled))
      filled = 0
    }
    if (chunk.length > gatherBytes) await writeAll(file, chunk)
    else {
      gathered.set(chunk, filled)
      filled += chunk.length
    }
    if (isGivenAway) giveBack(chunk)
  }
  if (size !== null && total !== size) throw new Error(`the body has ${total} of the ${size} bytes announced`)
  await writeAll(file, gathered.subarray(0, filled))
  return { size: total, md5: md5.digest('hex') }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0
  while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done)).bytesWritten
}

/** The signal ends it even where the next piece never comes, and leaves no reaction behind for each piece. */
async function* endedBy<T>(body: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = body[Symbol.asyncIterator]()
  let breakOff = (_reason: unknown) => {}
  const onAbort = () => breakOff(signal.reason)
  signal.addEventListener('abort', onAbort)
  let isOver = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        breakOff = reject
        iterator.next().then(resolve, reject)
      })
      if (next.done) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not waited for: a body that hangs would hang here too.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
