export const maxKeyBytes = 1024

/** Refuses names that a store, a shell or another tool could take for a path elsewhere. */
export const isObjectName = (text: string) =>
  text.isWellFormed() &&
  Buffer.byteLength(text) <= maxKeyBytes &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused
  !/[\u0000-\u001f\u007f-\u009f\\]/.test(text) &&
  !/(?:^|\/)\.{0,2}(?:\/|$)/.test(text)
