import { html, type Markup } from './markup.ts'

interface Place {
  /** Leads from the page to the root of the service. */
  readonly root?: string
  readonly language?: string
}

/** The start of every page. */
export const pageHead = (
  title: string,
  description: string,
  style: string,
  { root = '', language = 'en' }: Place = {},
): Markup => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs.svg">
<link rel="stylesheet" href="${root}${style}">`
