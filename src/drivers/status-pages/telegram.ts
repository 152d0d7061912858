import type { Outcome, StatusPage } from '../../status/status-page.ts'
import { alertVendor, chatText } from './alert-vendor.ts'
import { withoutMentions } from './escape.ts'
import type { Result } from './exchange.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badChat, badToken, requiredToken, type StatusPageOptions } from './options.ts'
import { throttled } from './outcomes.ts'

/** A bot of Telegram that sends to one chat. The token is part of the path. */
export function openTelegram(options: StatusPageOptions): StatusPage {
  const { to: chat = null, url } = options
  const token = requiredToken(options, 'telegram needs the token of a bot')
  if (!/^\d+:[\w-]+$/.test(token)) throw badToken(options, 'the token of a bot, such as 123456:ABC-def')
  if (chat === null || !/^(?:-?\d+|@\w+)$/.test(chat)) throw badChat(options, chat)
  const vendor = alertVendor(options, {
    kind: 'telegram',
    secrets: [token, ...token.split(':').slice(1)],
    escapeText: withoutMentions,
    requestFor: ({ title, text }) => ({
      method: 'POST',
      url: `${url}/bot${token}/sendMessage`,
      headers: jsonHeaders,
      wantsBody: true,
      // Without a parse mode, the text has no markup.
      body: JSON.stringify({
        chat_id: chat,
        text: chatText(options, withoutMentions(title), text),
        link_preview_options: { is_disabled: true },
      }),
    }),
  })
  return makePage({ ...vendor, judge }, options)
}

/** Of too many messages, the body says how long to wait. */
function judge(result: Result): Outcome | null {
  if (result.kind !== 'response' || result.status !== 429) return null
  try {
    const { parameters } = JSON.parse(result.body.toString())
    const seconds = parameters.retry_after
    return Number.isInteger(seconds) && seconds > 0 ? throttled('HTTP 429', seconds * 1000) : null
  } catch {
    return null
  }
}
