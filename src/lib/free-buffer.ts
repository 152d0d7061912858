/**
 * Frees the memory of a buffer at once; V8 would do so after some 64 MB. Leaves buffers alone that share their memory.
 * (A buffer may be one byte longer than its content, to detect the end of a file.)
 */
export function freeBuffer({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength - length <= 1) buffer.transfer(0)
}
