import type { Notice } from './publication.ts'

export type Outcome =
  | { readonly kind: 'accepted' }
  /** Certainly not taken: refused, or never sent. `retryAfterMs` is 0 where the page did not say when to come again. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number }
  /** Sent, and perhaps taken: no answer, or one from something in between. */
  | { readonly kind: 'uncertain'; readonly reason: string }

/** What a live look at the page's address found, for /diag. Nothing in it shows the token. */
export interface Look {
  readonly url: string
  readonly reached: boolean
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly contentType: string | null
  readonly body: string | null
  readonly error: string | null
}

/** An external status page. A further vendor is one file that makes one of these. */
export interface StatusPage {
  readonly kind: string
  /** Its base address, with nothing in it that is secret. */
  readonly address: string
  /** Whether it knows a component by this id. */
  covers(componentId: string): boolean
  /** Ends within 5 s, follows no redirect, reads no more of an answer than it needs, and never throws. */
  push(notice: Notice): Promise<Outcome>
  /** A page that takes silence for an outage hears what is published so often while a component is fresh; null: never. */
  readonly repeatEveryMs: number | null
  look(): Promise<Look>
  close(): Promise<void>
}
