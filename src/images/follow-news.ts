import type { NewsListener } from './image-news.ts'
import type { ImageSource } from './image-source.ts'
import type { Pool } from './pool.ts'

interface Followers {
  readonly source: Pick<ImageSource, 'doubt' | 'follow' | 'isRechecking' | 'purge'>
  readonly pool: Pick<Pool, 'has' | 'restart'>
}

/** Each instance asks the store itself: a message says only where to look. */
export const followNews = ({ source, pool }: Followers): NewsListener => ({
  onChange({ key, isGone }) {
    // Requests for names that do not exist must not cost every instance a request to the store.
    if (isGone && !pool.has(key) && !source.isRechecking(key)) source.purge(key)
    else void source.follow(key, isGone ? 'drop' : 'keep')
  },
  onGap() {
    source.doubt()
    pool.restart()
  },
})
