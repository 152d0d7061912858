import type { ImageNews } from '../../images/image-news.ts'
import type { Logger } from '../../process/logger.ts'
import { Channel } from './channel.ts'
import type { Transport } from './link.ts'

interface NewsConfig {
  readonly REDIS_URL: string | null
  readonly DATABASE_URL: string | null
  readonly DATABASE_POOL_MAX: number
  readonly STATUS_DATABASE_URL: string | null
}

/** Whether it takes one of the instance's connections to PostgreSQL. The last one is for accounts. */
export const takesConnection = ({
  REDIS_URL,
  DATABASE_URL,
  DATABASE_POOL_MAX,
}: Omit<NewsConfig, 'STATUS_DATABASE_URL'>) => REDIS_URL === null && DATABASE_URL !== null && DATABASE_POOL_MAX > 1

/**
 * Over Redis, else over PostgreSQL; null if instances share neither. Each driver is loaded only if used. Given the id
 * of its image folder (null: an object store), an instance warns of others that use a different one.
 */
export async function openNews(
  config: NewsConfig,
  log: Pick<Logger, 'debug' | 'warn'>,
  ownFolder?: string | null,
): Promise<ImageNews | null> {
  const transport = await transportOf(config)
  if (transport === null && config.DATABASE_URL !== null)
    log.warn(
      'changes of images are not shared with other instances: DATABASE_POOL_MAX leaves no connection for it; set it to at least 2, or REDIS_URL',
    )
  return transport && new Channel(transport, log, config.DATABASE_URL === null ? undefined : ownFolder)
}

async function transportOf(config: NewsConfig): Promise<Transport | null> {
  const { REDIS_URL, DATABASE_URL, STATUS_DATABASE_URL } = config
  if (REDIS_URL !== null) return (await import('./redis.ts')).redisTransport(REDIS_URL)
  if (DATABASE_URL === null || !takesConnection(config)) return null
  const { postgresTransport } = await import('./postgres.ts')
  return STATUS_DATABASE_URL === null
    ? postgresTransport(DATABASE_URL, 'DATABASE_URL')
    : postgresTransport(STATUS_DATABASE_URL, 'STATUS_DATABASE_URL')
}
