import { statfs } from 'node:fs/promises'

export interface Disk {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Of the disk that holds the folder, as an unprivileged process may use it; null if it cannot be read. */
export async function diskOf(folder: string): Promise<Disk | null> {
  const found = await statfs(folder).catch(() => null)
  return found && { freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize }
}
