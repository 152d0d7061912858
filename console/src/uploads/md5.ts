import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { EndCheck } from '../../../src/images/end-check.ts'

/** Small enough to keep the page responsive: about 10 ms. */
const chunkBytes = 512 * 1024

/** The service identifies equal bytes by MD5, which browsers do not offer. */
export async function md5Of(file: Blob, end: EndCheck): Promise<string> {
  const hash = md5.create()
  for (let at = 0; at < file.size; at += chunkBytes) {
    const piece = new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer())
    hash.update(piece)
    end.take(piece)
  }
  return bytesToHex(hash.digest())
}
