interface Stream extends AsyncIterable<Uint8Array> {
  /** Closes it, wherever it is. */
  return(): Promise<unknown>
}

/** The first bytes, at least `count` unless there are fewer, and all chunks. */
export async function withFirstBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: number,
): Promise<{ readonly first: Buffer; readonly all: Stream }> {
  const rest = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const read: Uint8Array[] = []
  for (let length = 0; length < count; ) {
    const { value, done } = await rest.next()
    if (done) break
    read.push(value)
    length += value.length
  }
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      const value = read.shift()
      return value ? { done: false, value } : rest.next()
    },
  }
  const all = { [Symbol.asyncIterator]: () => iterator, return: async () => rest.return?.() }
  return { first: Buffer.concat(read.slice(0, count)).subarray(0, count), all }
}
