import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Small enough to keep the page responsive: about 10 ms. */
const chunkBytes = 512 * 1024

/** The service identifies equal bytes by MD5, which browsers do not offer. */
export async function md5Of(file: Blob): Promise<string> {
  const hash = md5.create()
  for (let at = 0; at < file.size; at += chunkBytes)
    hash.update(new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer()))
  return bytesToHex(hash.digest())
}
