import { html, type Markup } from './markup.ts'

/** The start of every page. `root` leads from the page to the root of the service. */
export const pageHead = (title: string, description: string, style: string, root = ''): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs.svg">
<link rel="stylesheet" href="${root}${style}">`
