import type { WalkStep } from './positions.ts'

export interface ImageChange {
  readonly key: string
  /** The store has no such object any more; otherwise it may be new, changed or deleted. */
  readonly isGone: boolean
}

export interface NewsListener {
  onChange(change: ImageChange): void
  onSteps(steps: readonly WalkStep[]): void
  /** Changes may have been missed. */
  onGap(): void
}

/**
 * What the instances tell each other about images: image-source.ts and positions.ts publish, follow-news.ts applies
 * what arrives, drivers/image-news carries it. No instance receives its own messages.
 */
export interface ImageNews {
  /** Never throws, and nothing waits for it: what cannot be sent is sent later. */
  publish(change: ImageChange): void
  /** The same, but what cannot be sent now is dropped. */
  publishSteps(steps: readonly WalkStep[]): void
  /**
   * Connects, and resolves when it has; at the latest after half a second. From then on it reconnects. Without a
   * listener it only publishes.
   */
  start(listener: NewsListener | null): Promise<void>
  close(): Promise<void>
}

/** Of a single instance. */
export const noNews: ImageNews = { publish() {}, publishSteps() {}, async start() {}, async close() {} }
