import { BadSetting } from '../../config/parser.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Run } from './script.ts'

/** One connection; once it is lost, another is made. */
export interface RedisConnection {
  connect(): Promise<void>
  run(run: Run): Promise<unknown>
  send(...command: string[]): Promise<unknown>
  /** Whether it keeps the process alive. */
  hold(isHeld: boolean): void
  /** After what is under way. */
  close(): Promise<void>
  /** What is under way rejects. Said again, it also ends a connection that came about meanwhile. */
  destroy(): void
}

export interface Redis {
  connection(onLost: (reason: unknown) => void): RedisConnection
  /** What may stand in a log: no part of the URL that is a secret. */
  reason(error: unknown): Error
}

/** The client is loaded here, so that a service without Redis pays nothing for it. Throws BadSetting for no such URL. */
export async function loadRedis(url: string, connectMs: number): Promise<Redis> {
  const { createClient } = await import('@redis/client')
  const create = () =>
    createClient({
      url,
      // Both are ours: while Redis is away nothing waits for it, and only a connection that is proven is used.
      socket: { reconnectStrategy: false, connectTimeout: connectMs },
      disableOfflineQueue: true,
      // One timer watches over all commands, not one over each.
      commandOptions: { timeout: 0 },
      RESP: 2,
      maintNotifications: 'disabled',
      disableClientInfo: true,
    })
  const secrets = readable(() => {
    create()
    return secretsOf(url)
  })

  return {
    connection(onLost) {
      const client = create()
      // Without a listener an error would end the process.
      client.on('error', onLost)
      return {
        connect: async () => void (await client.connect()),
        async run({ script: { digest, source }, keys, args }) {
          const rest = [String(keys.length), ...keys, ...args]
          try {
            return await client.sendCommand(['EVALSHA', digest, ...rest])
          } catch (error) {
            if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
            return client.sendCommand(['EVAL', source, ...rest])
          }
        },
        send: (...command) => client.sendCommand(command),
        hold: (isHeld) => (isHeld ? client.ref() : client.unref()),
        close: async () => void (await client.close()),
        destroy: () => client.destroy(),
      }
    },
    reason(error) {
      const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), messageOf(error))
      const reason = new Error(text)
      reason.stack = `Error: ${text}`
      return reason
    },
  }
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new BadSetting(`REDIS_URL: ${(error as Error).message}; expected redis://user:password@host:port/number`)
  }
}

/** As they are written, and as they are sent: a server may repeat a command that it does not know. */
function secretsOf(url: string): readonly string[] {
  const { password } = new URL(url)
  return [url, password, decodeURIComponent(password)].filter(Boolean)
}
