/** The bucket is not there. */
export class NoSuchBucket extends Error {
  override readonly name = 'NoSuchBucket'
}
