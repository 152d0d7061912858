/**
 * Gives the memory of bytes that nobody looks at any more back now; V8 would come to it only after some 64 MB, whoever
 * else needs them. Bytes that share their memory with others are left alone; one more than there are may have been
 * there to see an end.
 */
export function giveBack({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength - length <= 1) buffer.transfer(0)
}
