import type { Look } from './looks.ts'
import type { ImageFormat } from './size.ts'

export { type Lasting, NoResizer, NotResizable } from './resizer-errors.ts'

export interface ResizeJob {
  /** By the first bytes of the image, whatever its stored type. */
  readonly type: ImageFormat
  readonly width: number
  /** The smallest of these is returned. */
  readonly formats: readonly ImageFormat[]
  /** Whether its look is wanted, too. */
  readonly hasLook: boolean
  /** Of the image, in bytes. */
  readonly length: number
}

export interface Resized {
  readonly bytes: Buffer
  /** Null if it was not asked for or could not be computed. */
  readonly look: Look | null
}

/** The bytes of an image. */
export interface ImageChunks extends AsyncIterable<Uint8Array> {
  /** Nobody else reads the chunks, which can be freed. */
  readonly isGivenAway?: boolean
}

/** The port of what decodes and encodes images. */
export interface Resizer {
  /** Changes with whatever changes the bytes of a result. */
  readonly recipe: string
  /** Rejects with NotResizable, NoResizer, or the error of `chunks`. At most `max` at a time. */
  resize(job: ResizeJob, chunks: ImageChunks): Promise<Resized>
  readonly max: number
  /** Resident memory of its processes. */
  memoryBytes(): number
  close(): Promise<void>
}

/** The port of a cache on disk. Nothing but time is lost with it. */
export interface SizeFiles {
  /** Null if it is not there. Never rejects. */
  read(name: string): Promise<Buffer | null>
  /** In the background; failures are logged once. */
  write(name: string, bytes: Buffer): void
  /** It was used, although it was not read. */
  touch(name: string): void
  /** Null until they have been counted. */
  bytes(): number | null
  close(): Promise<void>
}
