import { Unavailable } from '../../lib/unavailable.ts'
import type { Link, Query } from './postgres-link.ts'
import type { StateDatabase, Statement } from './store.ts'

/**
 * Uses the connection that holds the lock. If another worker nevertheless gets the lock, it replaces `holder`, and this
 * one can no longer write. The row is locked, so that none can take over until a write ends.
 */
export function postgresDatabase(link: Link, holder: string, close: () => Promise<void>): StateDatabase {
  const fence = "SELECT 1 FROM status_meta WHERE name = 'holder' AND value = $1 FOR SHARE"
  const alone = async <T>(act: (query: Query) => Promise<T>): Promise<T> => {
    try {
      return await link.alone(act)
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable('database', error)
    }
  }
  return {
    elements: 'json_array_elements',
    holdsLease: link.isSure,
    read: <Row extends object>({ text, values }: Statement) => alone((query) => query<Row>({ text }, values)),
    write: (statements) =>
      alone(async (query) => {
        await query({ text: 'BEGIN' })
        try {
          if ((await query({ text: fence }, [holder])).length === 0) {
            const reason = new Error('another worker has taken over the state')
            link.lose(reason)
            throw new Unavailable('database', reason)
          }
          const rows: object[][] = []
          for (const { text, values } of statements) rows.push(await query({ text }, values))
          await query({ text: 'COMMIT' })
          return rows
        } catch (error) {
          await query({ text: 'ROLLBACK' }).catch(() => {})
          throw error
        }
      }),
    close,
  }
}
