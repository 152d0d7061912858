import { BadSetting } from '../../config/parser.ts'
import { messageOf } from '../../lib/failure.ts'
import { lookupOnce } from '../../lib/lookup-once.ts'
import type { Run } from './script.ts'

/** Loads the client, so that a service without Redis does not pay for it. Throws BadSetting for an invalid URL. */
export async function loadRedis(url: string, connectMs: number) {
  const { createClient, ErrorReply } = await import('@redis/client')
  const create = () =>
    createClient({
      url,
      // redis-link.ts reconnects: it uses only tested connections, and nothing waits while there is none.
      socket: { reconnectStrategy: false, connectTimeout: connectMs, lookup: lookupOnce },
      disableOfflineQueue: true,
      // redis-link.ts has one timer for all commands.
      commandOptions: { timeout: 0 },
      RESP: 2,
      maintNotifications: 'disabled',
      disableClientInfo: true,
    })
  const secrets = readable(() => {
    create()
    return secretsOf(url)
  })

  /** Whether Redis replied with this error, and so is running. */
  const isReply = (error: unknown): boolean => error instanceof ErrorReply

  return {
    /** A single connection: once lost, it is not reopened. */
    connection(onLost: (reason: unknown) => void) {
      const client = create()
      // Without a listener an error would end the process.
      client.on('error', onLost)
      return {
        connect: async (): Promise<void> => void (await client.connect()),
        async run({ script: { digest, source }, keys, args }: Run): Promise<unknown> {
          const rest = [String(keys.length), ...keys, ...args]
          try {
            return await client.sendCommand(['EVALSHA', digest, ...rest])
          } catch (error) {
            if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
            return client.sendCommand(['EVAL', source, ...rest])
          }
        },
        /** Resolves if Redis responds, though it may not allow the command. */
        ping: (): Promise<unknown> => client.ping().catch((error) => isReply(error) || Promise.reject(error)),
        subscribe: (channel: string, onMessage: (message: string) => void): Promise<void> =>
          client.subscribe(channel, (message) => onMessage(message)),
        send: (...command: string[]): Promise<unknown> => client.sendCommand(command),
        /** Sets whether the connection keeps the process alive. */
        hold: (isHeld: boolean): void => (isHeld ? client.ref() : client.unref()),
        /** Closes after pending commands. */
        close: async (): Promise<void> => void (await client.close()),
        /** Rejects pending commands. Call it again to end a connection that was established meanwhile. */
        destroy: (): void => client.destroy(),
      }
    },
    isReply,
    /** The error without the secrets of the URL, for the log. */
    reason(error: unknown): Error {
      const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), messageOf(error))
      const reason = new Error(text)
      reason.stack = `Error: ${text}`
      return reason
    },
  }
}

export type Redis = Awaited<ReturnType<typeof loadRedis>>
export type RedisConnection = ReturnType<Redis['connection']>

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new BadSetting(`REDIS_URL: ${(error as Error).message}; expected redis://user:password@host:port/number`)
  }
}

/** Both encoded and decoded: a server may quote a command that it does not know. */
function secretsOf(url: string): readonly string[] {
  const { password } = new URL(url)
  return [url, password, decodeURIComponent(password)].filter(Boolean)
}
