export const maxKeyBytes = 1024

/** Nothing that a store, a shell or another tool could take for a way to somewhere else. */
export const isObjectName = (text: string) =>
  text.isWellFormed() &&
  Buffer.byteLength(text) <= maxKeyBytes &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  !/[\u0000-\u001f\u007f-\u009f\\]/.test(text) &&
  !/(?:^|\/)\.{0,2}(?:\/|$)/.test(text)
