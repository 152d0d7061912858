import type { Fault } from './catalogue.ts'
import type { ObjectHead } from './object-store.ts'
import { typeOf } from './served.ts'
import { beginBytes, isImage } from './signatures.ts'

/** Whether the first bytes of an object, as many as are known, are those of an image. */
export const beginsAsImage = (begin: Uint8Array): boolean => isImage(begin.subarray(0, beginBytes))

/** Why an object is not an image, by its bytes and then by the type that it is served with; null if it is one. */
export function faultOf(isImage: boolean, head: Pick<ObjectHead, 'type'>): Fault | null {
  if (!isImage) return 'bytes'
  return /^image\//i.test(typeOf(head)) ? null : 'type'
}
