import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const endOfHead = Buffer.from('\r\n\r\n')

/** Shared by all sockets to the store. */
export const createReadBuffer = () => Buffer.allocUnsafeSlow(65_536)

type Done = (error?: Error | null) => void

/**
 * A socket for undici that reads into a buffer shared with others. Node would allocate 64 kB for each read, and V8
 * would scan its heap every few hundred reads: a third of the cost of reading an object.
 *
 * `read` passes on bytes of the shared buffer while `receive` emits `readable`; a stream's own buffer would do so
 * later. undici parses them synchronously, and body.ts copies what it keeps. But undici keeps the pieces of an
 * incomplete head, and reads on after a pause, so those are copied here. A test compares every byte for each version of
 * undici.
 */
export class StoreSocket extends Duplex {
  readonly #socket: Socket
  readonly #isInBody: () => boolean
  /** In the shared buffer. */
  #fresh: Buffer | null = null
  #kept: Buffer | null = null
  #isPaused = false

  /** `isInBody`: whether the next bytes belong to the body of a response. */
  constructor(socket: Socket, isInBody: () => boolean) {
    super({ decodeStrings: false, allowHalfOpen: false })
    this.#socket = socket
    this.#isInBody = isInBody
    // undici listens for errors once connected; until then, `connect` reports them.
    this.on('error', () => {})
    socket
      .once('end', () => this.push(null))
      .once('error', (error) => this.destroy(error))
      .once('close', () => this.destroy())
  }

  /** For the socket's `onread`: false pauses it until everything is read. */
  receive(piece: Buffer): boolean {
    this.#fresh = piece
    this.emit('readable')
    this.#keep()
    this.#isPaused = this.#kept !== null
    return !this.#isPaused
  }

  override read(size?: number): Buffer | null {
    // Called by the stream itself.
    if (size !== undefined) return super.read(size)
    const piece = this.#next()
    if (piece !== null) return piece
    if (this.#isPaused) this.#socket.resume()
    this.#isPaused = false
    // Emits `end` at the end of the stream.
    return super.read()
  }

  override unshift(rest: Buffer): boolean {
    this.#keep()
    this.#kept = Buffer.concat([rest, this.#kept ?? Buffer.of()])
    return true
  }

  #next(): Buffer | null {
    const piece = this.#kept ?? this.#fresh
    if (piece === null) return null
    const isOwn = this.#kept !== null
    const end = this.#isInBody() ? piece.length : headLength(piece)
    const rest = end < piece.length ? piece.subarray(end) : null
    if (isOwn) this.#kept = rest
    else this.#fresh = rest
    const taken = rest === null ? piece : piece.subarray(0, end)
    return isOwn || this.#isInBody() ? taken : Buffer.from(taken)
  }

  #keep(): void {
    if (this.#fresh !== null) this.#kept = Buffer.concat([this.#kept ?? Buffer.of(), this.#fresh])
    this.#fresh = null
  }

  override _read(): void {}

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(chunks: { chunk: string | Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#socket.cork()
    const last = chunks.pop()
    for (const { chunk, encoding } of chunks) this.#socket.write(chunk, encoding)
    if (last !== undefined) this.#socket.write(last.chunk, last.encoding, done)
    this.#socket.uncork()
  }

  override _final(done: Done): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy(error ?? undefined)
    done(error)
  }

  ref(): void {
    this.#socket.ref()
  }

  unref(): void {
    this.#socket.unref()
  }
}

/** The length of the whole chunk if the head does not end in it. */
function headLength(chunk: Buffer): number {
  const end = chunk.indexOf(endOfHead)
  return end < 0 ? chunk.length : end + endOfHead.length
}
