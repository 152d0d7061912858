import { anywhereId, lowerFirst } from './every-error.ts'
import { breakable, chapterHead, errorChapter, limitChapter, sectionId, settingChapter } from './html-chapters.ts'
import { methodBadge, routeArticle } from './html-route.ts'
import { mark } from './mark.ts'
import { html, type Markup, words } from './markup.ts'
import type { GroupView, Reference } from './model.ts'
import { type Heading, renderProse } from './prose.ts'
import { slug, uniqueNames } from './slug.ts'

/** The reference as a page that needs no script and nothing from elsewhere. */
export function printHtml(model: Reference): string {
  const nameOnce = uniqueNames()
  for (const id of idsOf(model)) nameOnce(id)
  const intro = renderProse(model.intro, { deeper: 0, nameOnce })
  const decisions = renderProse(model.decisions, { deeper: 1, nameOnce })
  const entries = [
    ...proseEntries('Start here', intro.headings),
    ...model.groups.map(groupEntries),
    chapterEntries('errors', 'Errors', [
      ...model.anywhere.map(({ service }) =>
        link(anywhereId(service.title), `On any path: ${lowerFirst(service.title)}`),
      ),
      link('every-error-text', 'Every error text'),
    ]),
    chapterEntries('limits', 'Limits', []),
    chapterEntries(
      'settings',
      'Settings',
      model.settings.map(({ title }) => link(sectionId(title), title)),
    ),
    ...decisionEntries(decisions.headings),
  ]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${model.summary}">
<title>${model.title}</title>
<link rel="icon" type="image/svg+xml" href="docs.svg">
<link rel="stylesheet" href="docs.css">
<link rel="alternate" type="text/markdown" href="docs.md">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="#main">${mark}<span>${model.title}</span></a>
<p class="top-links"><a href="docs.md">Markdown</a> <a href="openapi.json">OpenAPI</a> <span class="version">${model.version}</span></p>
</header>
<div class="frame">
<nav class="side" aria-label="Contents">
${entries}
</nav>
<main id="main" tabindex="-1">
<div class="hero">
<h1>${model.title}</h1>
<p class="lead">${words(model.summary)}</p>
<dl class="addresses">
${model.anywhere.map(({ service }) => html`<div><dt>${service.title}</dt><dd><code>${service.base}</code></dd></div>\n`)}</dl>
</div>
<details class="phone-contents"><summary>Contents</summary>
<nav aria-label="Contents" id="contents">
${entries}
</nav>
</details>
<section class="prose">
${intro.markup}</section>
${model.groups.map(groupSection)}
<section class="chapter">${errorChapter(model)}</section>
<section class="chapter">${limitChapter(model)}</section>
<section class="chapter">${settingChapter(model)}</section>
<section class="prose chapter">
${decisions.markup}</section>
</main>
</div>
<footer class="foot"><p>Printed by the service itself from its routes and settings, so it says what this version does.</p></footer>
<a class="to-contents" href="#contents">Contents</a>
</body>
</html>
`
  return page.text
}

function groupSection({ title, description, service, routes }: GroupView): Markup {
  return html`<section class="chapter">
${chapterHead(slug(title), title)}
${description && html`<p>${words(description)}</p>`}
<p class="address"><span class="label">Address</span> <code>${service.base}</code></p>
${routes.map(routeArticle)}
</section>
`
}

function groupEntries({ title, routes }: GroupView): Markup {
  return chapterEntries(
    slug(title),
    title,
    routes.map(
      ({ id, route, path }) =>
        html`<li><a class="route-link" href="#${id}">${methodBadge(route.method)}<span>${breakable(path, '/')}</span></a></li>\n`,
    ),
  )
}

function decisionEntries([first, ...rest]: readonly Heading[]): Markup[] {
  return first ? [chapterEntries(first.id, first.text, rest.filter(isChapter(3)).map(toLink))] : []
}

function proseEntries(title: string, headings: readonly Heading[]): Markup[] {
  return headings.length > 0 ? [chapterEntries('main', title, headings.filter(isChapter(2)).map(toLink))] : []
}

const chapterEntries = (id: string, title: string, links: readonly Markup[]) =>
  html`<p class="toc-head"><a href="#${id}">${title}</a></p>
${links.length > 0 && html`<ul>\n${links}</ul>`}
`

const isChapter = (most: number) => (heading: Heading) => heading.level <= most
const toLink = ({ id, text }: Heading) => link(id, text)
const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>\n`

/** Anchors that are spoken for before the prose names its own. */
const idsOf = ({ groups, settings, anywhere }: Reference) => [
  ...['main', 'contents', 'errors', 'limits', 'settings', 'every-error-text'],
  ...groups.flatMap(({ title, routes }) => [slug(title), ...routes.map(({ id }) => id)]),
  ...anywhere.map(({ service }) => anywhereId(service.title)),
  ...settings.flatMap(({ title, settings: rows }) => [sectionId(title), ...rows.map(({ name }) => name)]),
]
