/* The port of object stores. Names are whole keys: `fox/a.png`. */

export { isUnchanged, NoSuchBucket } from './store-errors.ts'

export interface ObjectHead {
  /** Without quotes; changes with the bytes. */
  readonly etag: string
  readonly size: number
  readonly modified: number
  /** As stored; null if there is none. */
  readonly type: string | null
}

/** An object as a listing shows it. */
export interface ListedObject extends Omit<ObjectHead, 'type'> {
  readonly name: string
}

export interface ObjectRef {
  readonly bucket: string
  readonly name: string
}

/** Both ends are inclusive and lie inside the object. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** A whole object, in its own buffer. */
export interface WholeObject {
  readonly head: ObjectHead
  readonly bytes: Buffer
}

/** One version of an object, opened. The consumer calls exactly one of the three methods. */
export interface ObjectReading {
  readonly head: ObjectHead
  /** The consumer owns the chunks and may free their memory. */
  readonly isGivenAway?: boolean
  /** Every byte, in its own buffer; rejects if there are fewer or more than the head says. */
  whole(): Promise<Buffer>
  /** The same as a stream with backpressure. Leaving the loop early closes it. */
  chunks(): AsyncIterable<Uint8Array>
  discard(): void
}

export interface Upload extends ObjectRef {
  readonly type: string
  /** Null if unknown until the end. */
  readonly size: number | null
  readonly body: AsyncIterable<Uint8Array>
  /** The store owns the chunks and may free their memory. */
  readonly isGivenAway?: boolean
  readonly signal: AbortSignal
}

export interface Stored {
  readonly etag: string
  /** Null if the bucket is not versioned. */
  readonly versionId: string | null
  /** MD5 of the bytes sent, in hex. */
  readonly md5: string
  /** Encrypted by SSE-KMS or SSE-C: the ETag is not the MD5. */
  readonly isEtagOpaque: boolean
}

export interface ListOptions {
  readonly prefix: string
  /** Leaves out keys with a slash after the prefix. */
  readonly isFlat: boolean
  /** With `isFlat`: called for each folder that is left out, such as `fox/more/`. */
  readonly onFolder?: (name: string) => void
  /** What was listed before: if size and time are unchanged, the ETag may be taken from it. */
  readonly known?: (name: string) => Omit<ListedObject, 'name'> | null
  readonly signal?: AbortSignal
}

/**
 * Every method rejects with Unavailable if the store cannot be reached or does not respond in time, and with another
 * error if its response is invalid. No method follows redirects, waits without a timeout, or returns other than regular
 * objects.
 */
export interface ObjectStore {
  /** Rejects if the bucket cannot be used. */
  check(bucket: string): Promise<void>
  /** Rejects if a folder's disk accepts no new file. Does not write to a bucket: that may cost money. */
  proveWritable(bucket: string): Promise<void>
  bucketExists(bucket: string): Promise<boolean>
  createBucket(bucket: string): Promise<void>
  /** Null only if the store says that the object or bucket does not exist. */
  head(ref: ObjectRef, signal?: AbortSignal): Promise<ObjectHead | null>
  /** The current version, unaffected by later writes and deletes. Null as in `head`. */
  read(ref: ObjectRef, signal?: AbortSignal): Promise<ObjectReading | null>
  /** A part of the version with this ETag; null if it is no longer the current one. */
  readRange(ref: ObjectRef, version: ObjectHead, range: ByteRange, signal?: AbortSignal): Promise<ObjectReading | null>
  /**
   * Once it resolves, the new object has durably replaced the old one. If it rejects with an error that `isUnchanged`,
   * NoSuchBucket included, nothing has changed. After any other error, the object is old, new or gone, never truncated.
   */
  write(upload: Upload): Promise<Stored>
  /** Succeeds if the object does not exist. Rejects as `write` does. */
  remove(ref: ObjectRef): Promise<void>
  /** All objects, in pages, in any order, with or without concurrent changes. Rejects with NoSuchBucket. */
  list(bucket: string, options: ListOptions): AsyncIterable<readonly ListedObject[]>
  close(): Promise<void>
}
