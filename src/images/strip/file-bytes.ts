/** A file that can be read at any position. */
export interface FileBytes {
  readonly size: number
  /** In its own buffer; fewer bytes at the end of the file. */
  read(position: number, length: number): Promise<Buffer>
}

/** An upload in a temporary file, until it is disposed. */
export type Spooled = FileBytes & AsyncDisposable

/** Takes over the chunks, and frees their memory. */
export type Spool = (chunks: AsyncIterable<Uint8Array>) => Promise<Spooled>

const windowBytes = 65_536

/** Reads a file from front to back with lookahead: one window is in memory. */
export function createWindow(file: FileBytes) {
  let start = 0
  let bytes: Buffer = Buffer.alloc(0)
  return {
    size: file.size,
    /** What is in memory from here on: at least this many bytes, fewer only at the end of the file. */
    async from(position: number, atLeast: number): Promise<Buffer> {
      const isInside = position >= start && position + atLeast <= start + bytes.length
      if (!isInside) {
        bytes = await file.read(position, Math.max(atLeast, windowBytes))
        start = position
      }
      return bytes.subarray(position - start)
    },
  }
}

export type Window = ReturnType<typeof createWindow>
