/** The first bytes, at least `count` unless there are fewer, and all chunks. */
export async function withFirstBytes<T extends Uint8Array>(
  chunks: AsyncIterable<T> | Iterable<T>,
  count: number,
): Promise<{ readonly first: Buffer; readonly all: AsyncIterableIterator<T, void> }> {
  const rest = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const read: T[] = []
  for (let length = 0; length < count; ) {
    const { value, done } = await rest.next()
    if (done) break
    read.push(value)
    length += value.length
  }
  const first = Buffer.concat(read.map((each) => each.subarray(0, count))).subarray(0, count)
  // Not a generator: leaving one before its first chunk would not close the source.
  const all: AsyncIterableIterator<T, void> = {
    [Symbol.asyncIterator]: () => all,
    async next() {
      const value = read.shift()
      return value ? { done: false, value } : rest.next()
    },
    async return() {
      await rest.return?.()
      return { done: true, value: undefined }
    },
  }
  return { first, all }
}
