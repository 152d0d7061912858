import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { TLSSocket } from 'node:tls'
import { atEnd } from './at-end.ts'

/** Where the server stops responding, or what it responds there instead; `drip` sends an endless greeting. */
export type SmtpFault =
  | { readonly at: 'greeting' | 'AUTH' | 'RCPT' | 'DATA' | 'end'; readonly reply?: string }
  | { readonly at: 'drip' }

interface Tls {
  readonly key: string
  readonly cert: string
}

/** A mail server by RFC 5321; complains about every command out of order. */
export class SmtpServer {
  readonly mails: string[] = []
  readonly complaints: string[] = []
  readonly commands: string[] = []
  readonly open = new Set<Socket>()
  fault: SmtpFault | null = null
  readonly close = atEnd(() => this.#stop())
  readonly #server: Server
  readonly #password: string | null
  readonly #tls: Tls | null

  private constructor(password: string | null, tls: Tls | null) {
    this.#password = password
    this.#tls = tls
    this.#server = createServer((socket) => {
      this.open.add(socket)
      socket.on('error', () => {}).on('close', () => this.open.delete(socket))
      this.#greet(socket)
    })
  }

  /** With a password, it offers AUTH, but only after STARTTLS; with `tls`, it offers STARTTLS. */
  static async start({ password = null, tls = null }: { password?: string | null; tls?: Tls | null } = {}) {
    const server = new SmtpServer(password, tls)
    await once(server.#server.listen(0, '127.0.0.1'), 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.open) socket.destroy()
    await closed
  }

  #greet(socket: Socket): void {
    if (this.fault?.at === 'drip') {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    } else if (this.#mayAnswer('greeting', socket)) socket.write('220 test ESMTP\r\n')
    this.#serve(socket, false)
  }

  #mayAnswer(at: string, socket: Socket): boolean {
    if (this.fault === null || this.fault.at !== at) return true
    if ('reply' in this.fault) socket.write(`${this.fault.reply}\r\n`)
    return false
  }

  #serve(socket: Socket, isSecure: boolean): void {
    let state: 'new' | 'ready' | 'mail' | 'rcpt' | 'data' = 'new'
    let lines: string[] = []
    const say = (text: string) => void socket.write(`${text}\r\n`)
    const next = (isInOrder: boolean, to: typeof state, reply: string) => {
      if (!isInOrder) {
        this.complaints.push(`${this.commands.at(-1)} in state ${state}`)
        return say('503 bad sequence')
      }
      state = to
      say(reply)
    }
    const reader = createInterface({ input: socket })
    reader.on('error', () => {})
    reader.on('line', (line) => {
      if (state === 'data') {
        if (line !== '.') return lines.push(line)
        this.mails.push(lines.join('\n'))
        lines = []
        state = 'ready'
        return this.#mayAnswer('end', socket) && say('250 queued')
      }
      this.commands.push(line)
      const [verb = ''] = line.toUpperCase().split(/[ :]/)
      switch (verb) {
        case 'EHLO': {
          const offers = [
            ...(this.#tls && !isSecure ? ['STARTTLS'] : []),
            ...(this.#password !== null && isSecure ? ['AUTH PLAIN'] : []),
          ]
          return next(state === 'new', 'ready', [...offers.map((each) => `250-${each}`), '250 8BITMIME'].join('\r\n'))
        }
        case 'STARTTLS': {
          if (this.#tls === null) return say('502 not implemented')
          if (isSecure) return next(false, state, '')
          reader.close()
          socket.removeAllListeners('data')
          socket.write('220 go ahead\r\n')
          const secured = new TLSSocket(socket, { isServer: true, ...this.#tls })
          secured.on('error', () => {})
          return this.#serve(secured, true)
        }
        case 'AUTH': {
          const [, encoded = ''] = /^AUTH PLAIN (\S+)$/i.exec(line) ?? []
          const isRight = Buffer.from(encoded, 'base64').toString() === `\0me\0${this.#password}`
          if (!isSecure) this.complaints.push('a password in clear')
          return this.#mayAnswer('AUTH', socket) && say(isRight ? '235 welcome' : '535 bad credentials')
        }
        case 'MAIL':
          return next(state === 'ready', 'mail', '250 ok')
        case 'RCPT':
          if (line.includes('<nobody@')) return say('550 nobody')
          return this.#mayAnswer('RCPT', socket) && next(state === 'mail' || state === 'rcpt', 'rcpt', '250 ok')
        case 'DATA':
          return this.#mayAnswer('DATA', socket) && next(state === 'rcpt', 'data', '354 go on')
        case 'QUIT':
          say('221 bye')
          return socket.end()
        default:
          this.complaints.push(line)
          return say('500 unknown')
      }
    })
  }
}
