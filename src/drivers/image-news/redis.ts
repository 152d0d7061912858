import { withTimeout } from '../../lib/timeout.ts'
import { loadRedis } from '../counters/redis.ts'
import type { Transport } from './link.ts'

const connectMs = 2_000

/** Publish and subscribe, on a connection each. All databases share the channels, so the name includes the number. */
export async function redisTransport(url: string): Promise<Transport> {
  const redis = await loadRedis(url, connectMs)
  const channel = `menagerie:images:${new URL(url).pathname.slice(1) || 0}`
  return {
    name: 'Redis',
    async connect(onMessage, onLost) {
      const lost = (reason: unknown) => onLost(redis.reason(reason))
      const [subscriber, publisher] = [redis.connection(lost), redis.connection(lost)]
      const destroy = () => {
        for (const connection of [subscriber, publisher]) connection.destroy()
      }
      const connecting = async () => {
        await Promise.all([subscriber.connect(), publisher.connect()])
        await subscriber.subscribe(channel, onMessage)
      }
      try {
        await withTimeout(connecting(), connectMs)
      } catch (error) {
        destroy()
        throw redis.reason(error)
      }
      return {
        send: (message) => publisher.send('PUBLISH', channel, message),
        ping: () => Promise.all([subscriber.ping(), publisher.ping()]),
        destroy,
      }
    },
  }
}
