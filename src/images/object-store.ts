/* The port of the object store, which the folder and S3 fit. Names are whole keys: `fox/a.png`. */

export { NoSuchBucket } from './no-such-bucket.ts'
export { isUnchanged } from './unchanged.ts'

export interface ObjectHead {
  /** Without quotes. It changes with the bytes. */
  readonly etag: string
  readonly size: number
  readonly modified: number
  /** As stored; null where there is none. */
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

/** Both ends are included, and lie in the object. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** All of an object, in memory of its own. */
export interface WholeObject {
  readonly head: ObjectHead
  readonly bytes: Buffer
}

/** One version of an object, opened. It is ended by exactly one of the three. */
export interface ObjectReading {
  readonly head: ObjectHead
  /** The pieces are nobody else's: who takes them may give back their memory. */
  readonly isGivenAway?: boolean
  /** Every byte, in memory of their own; rejects where there are fewer or more than the head says. */
  whole(): Promise<Buffer>
  /** The same, a piece at a time and no faster than they are taken. Ending the loop early lets go of it. */
  chunks(): AsyncIterable<Uint8Array>
  /** Lets go of it at once. */
  discard(): void
}

export interface Upload extends ObjectRef {
  readonly type: string
  /** Null where it is known only at the end. */
  readonly size: number | null
  readonly body: AsyncIterable<Uint8Array>
  /** Nobody else looks at the pieces: a store may give back their memory as soon as it has them. */
  readonly isGivenAway?: boolean
  readonly signal: AbortSignal
}

export interface Stored {
  readonly etag: string
  /** Null where the bucket keeps no versions. */
  readonly versionId: string | null
  /** MD5 of the bytes that were sent, in hex. */
  readonly md5: string
  /** The store encrypts in a way (SSE-KMS, SSE-C) after which its ETag is no MD5. */
  readonly isEtagOpaque: boolean
}

export interface ListOptions {
  /** Only what begins with it. */
  readonly prefix: string
  /** Only what has no further slash after the prefix. */
  readonly isFlat: boolean
  /** What was seen before. An object of that size and time is taken to have that ETag: a store need not look into it. */
  readonly known?: (name: string) => Omit<ListedObject, 'name'> | null
  readonly signal?: AbortSignal
}

/**
 * Every method rejects with Unavailable where the store cannot be reached or does not answer in time, and with another
 * error where it answers what makes no sense. No method follows a redirect, waits without end, or shows an object that
 * is no regular one.
 */
export interface ObjectStore {
  /** Resolves if the bucket can be used now. */
  check(bucket: string): Promise<void>
  bucketExists(bucket: string): Promise<boolean>
  /** Makes it where it is missing. */
  createBucket(bucket: string): Promise<void>
  /** Null exactly where the store says that there is no such object, or bucket. */
  head(ref: ObjectRef, signal?: AbortSignal): Promise<ObjectHead | null>
  /** The object as it is now; what is written or removed meanwhile does not touch the reading. Null as in `head`. */
  read(ref: ObjectRef, signal?: AbortSignal): Promise<ObjectReading | null>
  /**
   * All of an object of at most so many bytes, where that takes no waiting. Null says nothing, not even that it is
   * not there: then it is to be read. Throws nothing.
   */
  readNow(ref: ObjectRef, maxBytes: number): WholeObject | null
  /** A part of the version with this ETag; null where that is not the current one any more. */
  readRange(ref: ObjectRef, version: ObjectHead, range: ByteRange, signal?: AbortSignal): Promise<ObjectReading | null>
  /**
   * Once it resolves, the new object has durably replaced the old one. If it rejects with an error that `isUnchanged`,
   * NoSuchBucket included, nothing has changed. After any other error the object is the old one or the new one, or
   * there is none; never a part of one.
   */
  write(upload: Upload): Promise<Stored>
  /** Removing an object that does not exist succeeds. It rejects as `write` does. */
  remove(ref: ObjectRef): Promise<void>
  /** Every object, a page at a time, in no promised order. What changes meanwhile may be in it or not. Rejects with NoSuchBucket. */
  list(bucket: string, options: ListOptions): AsyncIterable<readonly ListedObject[]>
  close(): Promise<void>
}
