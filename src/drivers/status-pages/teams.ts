import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor } from './alert-vendor.ts'
import type { Alert } from './alerts.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

/** A webhook of Workflows in Microsoft Teams. The signature in its query is the secret. */
export function openTeams(options: StatusPageOptions): StatusPage {
  const signature = new URL(options.url).searchParams.get('sig')
  if (!signature)
    throw badUrl(options, 'the URL of a workflow that anyone can trigger, which ends with sig=<signature>')
  const vendor = alertVendor(options, {
    kind: 'teams',
    secrets: [signature, new URL(options.url).search.slice(1)],
    hasButtons: true,
    requestFor: (alert) => ({
      method: 'POST',
      url: options.url,
      headers: jsonHeaders,
      body: JSON.stringify({
        type: 'message',
        attachments: [
          { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: cardOf(alert) },
        ],
      }),
    }),
  })
  return makePage(vendor, options)
}

/** Text runs are shown as they are; text blocks would be read as Markdown. Nobody is mentioned without `msteams`. */
const cardOf = ({ title, text, isDown, links }: Alert) => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body: [
    lineOf({ text: title, weight: 'Bolder', color: isDown ? 'Attention' : 'Good' }),
    ...text.split('\n').map((line) => lineOf({ text: line })),
  ],
  actions: links.map(({ name, url }) => ({ type: 'Action.OpenUrl', title: name, url })),
})

const lineOf = (run: { readonly text: string; readonly weight?: string; readonly color?: string }) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', ...run }],
})
