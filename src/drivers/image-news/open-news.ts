import type { ImageNews } from '../../images/image-news.ts'
import type { Logger } from '../../process/logger.ts'
import { Channel, type Transport } from './channel.ts'

interface NewsPlace {
  readonly REDIS_URL: string | null
  readonly DATABASE_URL: string | null
  readonly STATUS_DATABASE_URL: string | null
}

/** Over Redis, else over PostgreSQL; null where instances share neither. Each driver is loaded only where it is used. */
export async function openNews(place: NewsPlace, log: Pick<Logger, 'info' | 'warn'>): Promise<ImageNews | null> {
  const transport = await transportOf(place)
  return transport && new Channel(transport, log)
}

async function transportOf({ REDIS_URL, DATABASE_URL, STATUS_DATABASE_URL }: NewsPlace): Promise<Transport | null> {
  if (REDIS_URL !== null) return (await import('./redis.ts')).redisTransport(REDIS_URL)
  if (DATABASE_URL === null) return null
  const { postgresTransport } = await import('./postgres.ts')
  return STATUS_DATABASE_URL === null
    ? postgresTransport(DATABASE_URL, 'DATABASE_URL')
    : postgresTransport(STATUS_DATABASE_URL, 'STATUS_DATABASE_URL')
}
