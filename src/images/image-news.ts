import type { WalkStep } from './positions.ts'

export interface ImageChange {
  readonly key: string
  /** True if the store no longer has the object; otherwise it may be new, changed or deleted. */
  readonly isGone: boolean
}

export interface NewsListener {
  onChange(change: ImageChange): void
  onSteps(steps: readonly WalkStep[]): void
  /** Changes may have been missed. */
  onGap(): void
}

/**
 * The messages between instances about images: image-source.ts and unseen.ts publish, follow-news.ts applies what
 * arrives, drivers/image-news transports it. No instance receives its own messages.
 */
export interface ImageNews {
  /** Never throws, and nothing waits for it: what cannot be sent now is sent later. */
  publish(change: ImageChange): void
  /** The same, but what cannot be sent now is dropped. */
  publishSteps(steps: readonly WalkStep[]): void
  /**
   * Connects, and resolves then or after half a second. Reconnects from then on. Without a listener it only publishes.
   */
  start(listener: NewsListener | null): Promise<void>
  close(): Promise<void>
}

/** For a single instance. */
export const noNews: ImageNews = { publish() {}, publishSteps() {}, async start() {}, async close() {} }
