/** For what has a method of its own: `await using _ = closing(it)` closes it at the end of the block. */
export const closing = (resource: { close(): unknown } | null): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await resource?.close()
  },
})
