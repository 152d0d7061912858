/* MD5 (RFC 1321), by which the service knows equal bytes, and which no browser has. */

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
/** Of the word that a step takes, by round. */
const factors = [1, 5, 3, 7]
const offsets = [0, 1, 5, 0]
const sines = Int32Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32))
const blockBytes = 64
/** Short enough for the page to stay responsive: some 10 ms. */
const chunkBytes = 512 * 1024

export async function md5Of(file: Blob): Promise<string> {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  const whole = file.size - (file.size % blockBytes)
  for (let at = 0; at < whole; at += chunkBytes)
    digest(state, await file.slice(at, Math.min(at + chunkBytes, whole)).arrayBuffer())
  digest(state, padded(await file.slice(whole).arrayBuffer(), file.size))
  return Array.from(new Uint8Array(state.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The rest of the message with a 1 bit, zeros, and the length of the message in bits. */
function padded(rest: ArrayBuffer, size: number): ArrayBuffer {
  const length = rest.byteLength < blockBytes - 8 ? blockBytes : 2 * blockBytes
  const bytes = new Uint8Array(length)
  bytes.set(new Uint8Array(rest))
  bytes[rest.byteLength] = 0x80
  new DataView(bytes.buffer).setBigUint64(length - 8, BigInt(size) * 8n, true)
  return bytes.buffer
}

/** Whole blocks. Little-endian, as every machine that runs a browser is. */
function digest(state: Int32Array, bytes: ArrayBuffer): void {
  const words = new Int32Array(bytes)
  for (let start = 0; start < words.length; start += 16) {
    let [a, b, c, d] = state as unknown as [number, number, number, number]
    for (let step = 0; step < 64; step++) {
      const round = step >> 4
      const mixed = mix(round, b, c, d)
      const word = words[start + ((step * (factors[round] as number) + (offsets[round] as number)) & 15)] as number
      const sum = (a + mixed + word + (sines[step] as number)) | 0
      const shift = shifts[(round << 2) | (step & 3)] as number
      a = d
      d = c
      c = b
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
    }
    state.set([(state[0] as number) + a, (state[1] as number) + b, (state[2] as number) + c, (state[3] as number) + d])
  }
}

function mix(round: number, b: number, c: number, d: number): number {
  switch (round) {
    case 0:
      return (b & c) | (~b & d)
    case 1:
      return (d & b) | (~d & c)
    case 2:
      return b ^ c ^ d
    default:
      return c ^ (b | ~d)
  }
}
