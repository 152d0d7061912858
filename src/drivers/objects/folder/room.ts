import { statfs } from 'node:fs/promises'
import { codeOf } from './files.ts'

/** A full disk or quota. */
const noRoom = /^(ENOSPC|EDQUOT)$/

/** After an upload that found no room, the folder counts as full until there is room for that upload. */
export function createRoom(folder: string) {
  let neededBytes = 0
  return {
    failed(error: unknown, bytes: number | null): void {
      if (noRoom.test(codeOf(error))) neededBytes = Math.max(neededBytes, bytes ?? 0)
    },
    async assertFree(): Promise<void> {
      if (neededBytes === 0) return
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < neededBytes)
        throw new Error(`the disk is full: ${bavail * bsize} bytes are free, and an upload of ${neededBytes} failed`)
      neededBytes = 0
    },
  }
}
