import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor, chatText } from './alert-vendor.ts'
import { inDiscord } from './escape.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

/** A Discord webhook. The token is part of its URL. */
export function openDiscord(options: StatusPageOptions): StatusPage {
  const [, token] = /\/webhooks\/\d+\/([^/?]+)\/?(?:\?|$)/.exec(options.url) ?? []
  if (token === undefined) throw badUrl(options, 'the URL of a webhook, https://discord.com/api/webhooks/<id>/<token>')
  const vendor = alertVendor(options, {
    kind: 'discord',
    secrets: [token],
    escapeText: inDiscord,
    requestFor: ({ title, text }) => ({
      method: 'POST',
      url: options.url,
      headers: jsonHeaders,
      // No mentions, whatever a component is called or says.
      body: JSON.stringify({
        content: chatText(options, `**${inDiscord(title)}**`, text),
        allowed_mentions: { parse: [] },
      }),
    }),
  })
  return makePage(vendor, options)
}
