import { html, type Markup } from '../../reference/markup.ts'
import { pageHead } from '../../reference/page-head.ts'
import { timeText } from '../status-page/texts/texts.ts'

export interface Outage {
  readonly label: string
  readonly status: string
  /** An ISO timestamp. */
  readonly since: string
  /** The channel that the link was sent to. */
  readonly target: string
  readonly acknowledgement: { readonly by: string; readonly at: string } | null
}

/** `../` leads to the root of the service. Complete without script. */
const page = (title: string, content: Markup): string =>
  html`${pageHead(title, 'Acknowledge an outage.', 'docs.css', { root: '../' })}
</head>
<body>
<main id="main">
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text

/** One button, since chats and mail scanners open links. */
export function outagePage({ label, status, since, target, acknowledgement }: Outage): string {
  if (acknowledgement) return acknowledgedPage(label, acknowledgement.by)
  return page(
    `${label}: ${status}`,
    html`<p>Since ${timeText(since)}. Nobody has acknowledged it yet.</p>
<form method="post"><button type="submit" class="large">I’ll take care of it</button></form>
<p>Then no reminders are sent, and all alert channels are told that it was acknowledged by the link sent to ${target}.</p>`,
  )
}

export const acknowledgedPage = (label: string, by: string): string =>
  page(`${label}: acknowledged`, html`<p>By ${by}. No more reminders are sent for this outage.</p>`)

export const laterPage = (why: string): string =>
  page('Not at the moment', html`<p>${why}. The link still works: open it again in a minute.</p>`)

export const forbiddenPage = (): string =>
  page('Not allowed', html`<p>The status worker accepts no changes from this service. Tell whoever operates it.</p>`)

export const gonePage = (): string =>
  page(
    'This link is no longer valid',
    html`<p>The outage is over, or the link is older than 7 days. Links in later alerts work.</p>`,
  )
