import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor, chatText } from './alert-vendor.ts'
import { inSlack } from './escape.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

/** A Slack incoming webhook. Its path is the secret. */
export function openSlack(options: StatusPageOptions): StatusPage {
  const [, secret] = /\/services\/([^?]+)$/.exec(options.url) ?? []
  if (secret === undefined)
    throw badUrl(options, 'the URL of an incoming webhook, https://hooks.slack.com/services/<T…>/<B…>/<token>')
  const vendor = alertVendor(options, {
    kind: 'slack',
    secrets: [secret, ...secret.split('/').slice(-1)],
    escapeText: inSlack,
    requestFor: ({ title, text }) => ({
      method: 'POST',
      url: options.url,
      headers: jsonHeaders,
      body: JSON.stringify({ text: chatText(options, `*${inSlack(title)}*`, text) }),
    }),
  })
  return makePage(vendor, options)
}
