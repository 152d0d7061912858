import pg from 'pg'
import { postgresSocket } from '../postgres/socket.ts'
import { type Transport, Unsupported } from './link.ts'

const connectMs = 2_000
const channel = 'menagerie_images'

/** LISTEN and NOTIFY, on a dedicated session. `setting` is where the URL comes from. */
export const postgresTransport = (url: string, setting: string): Transport => ({
  name: 'PostgreSQL',
  async connect(onMessage, onLost) {
    const socket = postgresSocket()
    const client = new pg.Client({
      connectionString: url,
      stream: () => socket,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      application_name: 'menagerie image news',
      keepAlive: true,
      pipeline: true,
    })
    client.on('error', onLost)
    client.on('end', () => onLost(new Error('the server ended the connection')))
    client.on('notification', ({ payload = '' }) => onMessage(payload))
    try {
      await client.connect()
      // Behind a pooler (PgBouncer) another client gets this session next.
      const { processID } = client as unknown as { processID: number | null }
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
      if (rows[0].pid !== processID)
        throw new Unsupported(
          `${setting} is a connection pooler, which cannot LISTEN; set STATUS_DATABASE_URL to the PostgreSQL server itself, or REDIS_URL`,
        )
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      socket.destroy()
      throw error
    }
    return {
      send: (message) => client.query('SELECT pg_notify($1, $2)', [channel, message]),
      ping: () => client.query('SELECT 1'),
      destroy: () => void socket.destroy(),
    }
  },
})
