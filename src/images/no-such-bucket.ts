export class NoSuchBucket extends Error {
  override readonly name = 'NoSuchBucket'
}
