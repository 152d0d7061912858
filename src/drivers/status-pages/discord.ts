import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor } from './alert-vendor.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

/** A Discord webhook. The token is part of its URL. */
export function openDiscord(options: StatusPageOptions): StatusPage {
  const [, token] = /\/webhooks\/\d+\/([^/?]+)\/?(?:\?|$)/.exec(options.url) ?? []
  if (token === undefined) throw badUrl(options, 'the URL of a webhook, https://discord.com/api/webhooks/<id>/<token>')
  const vendor = alertVendor(options, {
    kind: 'discord',
    secrets: [token],
    requestFor: ({ title, text }) => ({
      method: 'POST',
      url: options.url,
      headers: jsonHeaders,
      // No mentions, whatever a component is called.
      body: JSON.stringify({ content: `**${title}** ${text}`, allowed_mentions: { parse: [] } }),
    }),
  })
  return makePage(vendor, options)
}
