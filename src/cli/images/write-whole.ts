import { type FileHandle, open, rename, unlink } from 'node:fs/promises'

interface Place {
  readonly path: string
  readonly temporary: string
}

/** Writes a file that has its name only once it is complete. `fail` reports what the file system refuses. */
export async function writeWhole<T>(
  { path, temporary }: Place,
  fail: (error: NodeJS.ErrnoException) => never,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(temporary, 'wx').catch(fail)
  try {
    const result = await write(file)
    await file.close()
    await rename(temporary, path).catch(fail)
    return result
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    throw error
  }
}
