/** For what there is no use in trying again; `for a while` if it was time or memory. */
export type Lasting = 'for this format' | 'for this version' | 'for a while' | 'not at all'

/** The image cannot be decoded or encoded, or takes too much. */
export class NotResizable extends Error {
  override readonly name = 'NotResizable'
  readonly lasting: Lasting

  constructor(message: string, lasting: Lasting) {
    super(message)
    this.lasting = lasting
  }
}

/** No process can be started, or none can decode images: not the fault of an image. */
export class NoResizer extends Error {
  override readonly name = 'NoResizer'
  /** Whether that stays so until the next start. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal, cause }: { readonly isFinal: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}
