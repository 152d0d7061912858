import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Outcome, StatusPage, Tested } from '../../status/status-page.ts'
import { type Alert, alertOf, testAlert } from './alerts.ts'
import { defaultTimeoutMs } from './client.ts'
import { unreached } from './make-page.ts'
import { mailAddresses, ownComponents, type StatusPageOptions } from './options.ts'
import { failed, uncertain } from './outcomes.ts'

interface Session {
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

/** Mail over SMTP: smtps://, or smtp:// with STARTTLS, which is required if there is a password. */
export function openMail(options: StatusPageOptions): StatusPage {
  const { url, token, clock, source, timeoutMs = defaultTimeoutMs } = options
  const { protocol, hostname, port, username } = new URL(url)
  const from = mailAddresses(options, 'FROM', options.from).join(', ')
  const to = mailAddresses(options, 'TO', options.to)
  const covers = ownComponents(options, 'mail')
  const address = `${protocol}//${hostname}${port && `:${port}`}`
  const sessions = new Set<Session>()
  let isClosed = false

  async function mailOf({ title, text }: Alert, id: string) {
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const mail = new MailComposer({
      ...{ from, to: [...to], text, date: new Date(clock.now()) },
      subject: title,
      // A retry after an unknown outcome has the same id, so that the receiver can drop the second copy.
      messageId: `<${createHash('sha256').update(`${source} ${id}`).digest('hex').slice(0, 32)}@menagerie>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }).compile()
    return { envelope: mail.getEnvelope(), message: await promisify(mail.build.bind(mail))() }
  }

  async function connection(): Promise<SMTPConnection> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection')
    return new Connection({
      host: hostname.replace(/^\[|\]$/g, ''),
      ...(port && { port: Number(port) }),
      secure: protocol === 'smtps:',
      requireTLS: token !== null,
      // Without a password, plain text would be acceptable, and a certificate from an unknown issuer is no worse.
      ...(token === null && protocol === 'smtp:' && { tls: { rejectUnauthorized: false } }),
      // Destroys the socket at once.
      socketCloseTimeout: 0,
    })
  }

  function start(alert: Alert, id: string): Session {
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
      const { envelope, message } = await mailOf(alert, id)
      smtp = await connection()
      smtp.on('error', onError)
      await promisify(smtp.connect.bind(smtp))()
      const credentials = { user: decodeURIComponent(username), pass: token ?? '' }
      if (token !== null) await promisify(smtp.login.bind(smtp))({ credentials })
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

  async function deliver(alert: Alert, id: string): Promise<Outcome> {
    if (isClosed) return failed('not sent: CLOSED')
    const session = start(alert, id)
    sessions.add(session)
    const outcome = await session.outcome
    sessions.delete(session)
    return outcome
  }

  async function test(): Promise<Tested> {
    const start = clock.monotonic()
    const outcome = await deliver(testAlert, `test ${clock.now()}`)
    const durationMs = Math.round(clock.monotonic() - start)
    const isReached = outcome.kind === 'accepted'
    const error = outcome.reason ?? null
    return { outcome, probe: { ...unreached(address, ''), reached: isReached, durationMs, error } }
  }

  return {
    ...{ kind: 'mail', address, isAlert: true, repeatEveryMs: options.reminderMs ?? null, covers },
    budget: null,
    async push(...notices) {
      if (!notices.every(({ componentId }) => covers(componentId)))
        return failed('not sent: the page does not have the component')
      const ids = notices.map(({ componentId, sequence, reportedAt }) => `${componentId} ${sequence} ${reportedAt}`)
      return deliver(alertOf(notices), ids.sort().join())
    },
    probe: async () => (await test()).probe,
    test,
    async close() {
      isClosed = true
      for (const session of sessions) session.abort('CLOSED')
      await Promise.all([...sessions].map(({ outcome }) => outcome))
    },
  }
}
