import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Outcome } from '../../status/status-page.ts'
import { failed, uncertain } from './outcomes.ts'

interface MailServer {
  /** smtps://user@host, or smtp://user@host with STARTTLS, which is required if there is a password. */
  readonly url: URL
  readonly password: string | null
}

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly date: Date
  readonly messageId: string
}

export interface Delivery {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>
  abort(code: string): void
}

interface SmtpError {
  readonly responseCode?: number
  /** Nodemailer's, such as ESOCKET. */
  readonly code?: string
  /** The system's or OpenSSL's, such as ECONNREFUSED. */
  readonly originalCode?: string
}

/** One mail over a connection of its own. */
export function deliver(server: MailServer, mail: Mail, timeoutMs: number): Delivery {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  let smtp: SMTPConnection | null = null
  /** Nodemailer reads the message once the server has accepted the envelope; from then on, it may be accepted. */
  let isSent = false
  const end = (outcome: Outcome) => {
    clearTimeout(timer)
    smtp?.close()
    resolve(outcome)
  }
  const abort = (code: string) => end(isSent ? uncertain(`no response: ${code}`) : failed(`not sent: ${code}`))
  const timer = setTimeout(abort, timeoutMs, 'TIMEOUT')
  const onError = ({ responseCode, originalCode, code = 'ERROR' }: SmtpError) =>
    responseCode === undefined ? abort(originalCode ?? code) : end(failed(`SMTP ${responseCode}`))
  const run = async () => {
    const { envelope, message } = await compose(mail)
    smtp = await connectionTo(server)
    smtp.on('error', onError)
    await promisify(smtp.connect.bind(smtp))()
    const credentials = { user: decodeURIComponent(server.url.username), pass: server.password ?? '' }
    if (server.password !== null) await promisify(smtp.login.bind(smtp))({ credentials })
    const read = function* () {
      isSent = true
      yield message
    }
    const { rejected } = await promisify(smtp.send.bind(smtp))(envelope, Readable.from(read()))
    smtp.quit()
    // Waits until QUIT has been written.
    setImmediate(end, {
      kind: 'accepted',
      ...(rejected[0] && { reason: `recipients refused: ${rejected.join(', ')}` }),
    })
  }
  run().catch(onError)
  return { outcome: promise, abort }
}

async function compose({ to, messageId, ...mail }: Mail) {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const composed = new MailComposer({ ...mail, to: [...to], messageId: `<${messageId}>`, headers }).compile()
  return { envelope: composed.getEnvelope(), message: await promisify(composed.build.bind(composed))() }
}

async function connectionTo({ url, password }: MailServer): Promise<SMTPConnection> {
  const { protocol, hostname, port } = url
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  return new Connection({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: password !== null,
    // Without a password, plain text would be acceptable, and a certificate from an unknown issuer is no worse.
    ...(password === null && protocol === 'smtp:' && { tls: { rejectUnauthorized: false } }),
    // Destroys the socket at once.
    socketCloseTimeout: 0,
  })
}
