import type { NewsListener } from './image-news.ts'
import type { ImageSource } from './image-source.ts'
import type { Pool } from './pool.ts'
import type { Unseen } from './unseen.ts'

interface Followers {
  readonly source: Pick<ImageSource, 'doubt' | 'follow' | 'isRechecking' | 'purge'>
  readonly pool: Pick<Pool, 'has' | 'restart' | 'update'>
  readonly unseen: Pick<Unseen, 'follow'>
}

/** Each instance asks the store itself: a message only says where to look. */
export const followNews = ({ source, pool, unseen }: Followers): NewsListener => ({
  onChange({ key, isGone }) {
    if (!isGone) return void source.follow(key, 'keep')
    // Requests for names that do not exist must not cost every instance a request to the store.
    if (!pool.has(key) && !source.isRechecking(key)) return source.purge(key)
    // The image is not chosen while the store is being asked, however long that takes.
    pool.update(key, null)
    void source.follow(key, 'drop')
  },
  onSteps: (steps) => unseen.follow(steps),
  onGap() {
    source.doubt()
    pool.restart()
  },
})
