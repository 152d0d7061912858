import { type Asked, json, type Reply, type Vendor } from './status-servers.ts'
import type { Shown } from './status-vendors.ts'

type Fields = Readonly<Record<string, unknown>>

/** Accepts a POST of exactly these JSON fields; `shown` keeps the last text as `channel`. */
function jsonChannel(
  path: string,
  shown: Shown,
  fields: readonly string[],
  textOf: (body: Fields) => unknown,
  accepted: Reply,
  refused: (asked: Asked) => Reply | null,
): Vendor {
  return (asked, complain) => {
    const refuse = (reply: Reply, about: string): Reply => {
      complain(about)
      return reply
    }
    const unknown = refused(asked)
    if (unknown !== null) return refuse(unknown, 'secret')
    if (asked.path !== path || asked.method !== 'POST') return refuse(json(404, {}), 'route')
    if (asked.headers['content-type'] !== 'application/json') return refuse(json(400, {}), 'content type')
    const body: Fields = JSON.parse(asked.body)
    const text = textOf(body)
    if (Object.keys(body).sort().join() !== fields.join() || typeof text !== 'string' || text === '')
      return refuse(json(400, {}), `fields ${Object.keys(body)}`)
    shown.set('channel', text)
    return accepted
  }
}

/** Responds 204 unless asked to wait; a message without `allowed_mentions` could mention everyone. */
export function discordWebhook(token: string, shown: Shown): Vendor {
  const path = `/api/webhooks/123/${token}`
  const textOf = ({ content, allowed_mentions }: Fields) =>
    JSON.stringify(allowed_mentions) === '{"parse":[]}' && String(content).length <= 2_000 ? content : null
  const refused = (asked: Asked) => (asked.path === path ? null : json(401, { message: 'Invalid Webhook Token' }))
  return jsonChannel(path, shown, ['allowed_mentions', 'content'], textOf, { status: 204 }, refused)
}

export function slackWebhook(secret: string, shown: Shown): Vendor {
  const path = `/services/${secret}`
  const refused = (asked: Asked) => (asked.path === path ? null : { status: 404, body: 'no_service' })
  const textOf = ({ text }: Fields) => (/[<>]|&(?!amp;|lt;|gt;)/.test(String(text)) ? null : text)
  return jsonChannel(path, shown, ['text'], textOf, { status: 200, body: 'ok' }, refused)
}

/** A user name that Telegram would notify, and links that it would preview, are mistakes. */
export function telegramBots(token: string, chat: string, shown: Shown): Vendor {
  const path = `/bot${token}/sendMessage`
  const refused = (asked: Asked) =>
    asked.path === path ? null : json(401, { ok: false, error_code: 401, description: 'Unauthorized' })
  const textOf = ({ chat_id, text, link_preview_options }: Fields) =>
    chat_id === chat &&
    String(text).length <= 4_096 &&
    !/(?<!\w)@\w{4,}/.test(String(text)) &&
    JSON.stringify(link_preview_options) === '{"is_disabled":true}'
      ? text
      : null
  const fields = ['chat_id', 'link_preview_options', 'text']
  return jsonChannel(path, shown, fields, textOf, json(200, { ok: true, result: { message_id: 1 } }), refused)
}

interface Run {
  readonly type: string
  readonly text: string
}

/** A workflow: takes a message with one Adaptive Card of at most 28 kB, and posts it later. */
export function teamsWorkflow(signature: string, shown: Shown): Vendor {
  const path = '/workflows/abc/triggers/manual/paths/invoke'
  const refused = ({ query }: Asked) =>
    query.get('sig') === signature ? null : json(401, { error: { code: 'SasSignatureInvalid' } })
  const textOf = ({ type, attachments }: Fields) => {
    const [attachment] = attachments as readonly Fields[]
    const card = attachment?.content as Fields & { readonly body: readonly (Fields & { inlines: readonly Run[] })[] }
    const isCard =
      type === 'message' &&
      attachment?.contentType === 'application/vnd.microsoft.card.adaptive' &&
      [card.type, card.version].join() === 'AdaptiveCard,1.4' &&
      card.body.every(
        (block) => block.type === 'RichTextBlock' && block.inlines.every((run) => run.type === 'TextRun'),
      ) &&
      !('msteams' in card) &&
      JSON.stringify(card).length < 28_000
    return isCard ? card.body.map(({ inlines }) => inlines.map(({ text }) => text).join('')).join(' ') : null
  }
  return jsonChannel(path, shown, ['attachments', 'type'], textOf, { status: 202 }, refused)
}

export function gotifyServer(token: string, shown: Shown): Vendor {
  const refused = ({ headers }: Asked) => (headers['x-gotify-key'] === token ? null : json(401, { errorCode: 401 }))
  const textOf = ({ title, message, priority }: Fields) =>
    Number.isInteger(priority) ? `${title} ${message} ${priority}` : null
  return jsonChannel('/message', shown, ['message', 'priority', 'title'], textOf, json(200, { id: 1 }), refused)
}

const priorities = ['min', 'low', 'default', 'high', 'urgent', 'max']

/** The message is the body, everything else is in headers. */
export function ntfyServer(topic: string, token: string, shown: Shown): Vendor {
  return ({ method, path, headers, body }, complain) => {
    const { title, priority, tags, authorization } = headers
    const mistake =
      authorization !== `Bearer ${token}`
        ? 'secret'
        : path !== `/${topic}` || method !== 'POST'
          ? 'route'
          : body === '' || !priorities.includes(String(priority)) || !/^[a-z_]+$/.test(String(tags))
            ? 'message'
            : null
    if (mistake === null) {
      shown.set('channel', `${title} ${body} ${priority}`)
      return json(200, { event: 'message', topic })
    }
    complain(mistake)
    return json({ secret: 401, route: 404, message: 400 }[mistake] as number, { error: mistake })
  }
}
