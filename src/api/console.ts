import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiRoute, defineApiRoute, publicPage } from '../accounts/api-route.ts'
import { type Offer, type OfferDeps, offerTo } from '../accounts/first-owner.ts'
import type { Headers } from '../http/headers.ts'
import { type PreparedText, prepareText } from '../http/prepared-text.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { TextResponse } from '../http/responses.ts'
import { notModified } from '../http/route.ts'
import { string } from '../http/schema.ts'
import { html } from '../reference/markup.ts'
import { createLogo, type Logo, logoTypes } from './logo.ts'

export interface ConsoleDeps extends OfferDeps {
  readonly consoleFiles: ConsoleFiles
  readonly sizes: object | null
}

type ConsoleFiles = ReturnType<typeof openConsole>

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const
const pageType = 'text/html; charset=utf-8'
const plainType = 'text/plain; charset=utf-8'

/** The nonce allows the style that locks scrolling while a dialog is open. */
const pageHeaders = (nonce: string): Headers => ({
  'Content-Security-Policy': `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
})

interface PageTerms {
  /** Whether the page shows the form for the first owner, or that it is closed. */
  readonly offer: Offer
  /** Whether the page asks for images as small as it shows them. */
  readonly sizes: 'on' | 'off'
  readonly theme: string
}

const metaOf = (siteName: string) => html`<meta name="site" content="${siteName}">`.text
const titleOf = (siteName: string) => html`<title>${siteName}</title>`.text

/** As chosen in the console, which sets this cookie. In the page itself, it holds from the first paint without a script. */
const themeOf = (cookie = '') => /(?:^|; )menagerie_theme=(light|dark)(?:;|$)/.exec(cookie)?.[1] ?? 'system'

/** File names contain a hash of the content. */
const fileHeaders: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const errors = {
  notBuilt: {
    status: 404,
    message: 'The console is not built: run npm install with the development dependencies, then restart the service',
    when: 'the service runs from a checkout without the development dependencies; the package and the image contain the console',
  },
  noFile: { status: 404, message: 'The console has no such file: a newer version may be installed' },
} as const satisfies Record<string, Refusal>

/** The output of `console/build.mjs`, read on demand. */
export const consoleFolder = join(import.meta.dirname, '../../console/dist')

interface Installation {
  readonly siteName: string
  readonly siteLogo: Logo | null
  /** What a new password must be, in the words of its refusal. */
  readonly passwordRule: string
  /** Whether the page shows the form for a new account. */
  readonly registration: 'open' | 'closed'
}

export function openConsole(folder: string, { siteName, siteLogo, passwordRule, registration }: Installation) {
  const files = new Map<string, PreparedText>()
  const read = (path: string) => readFile(join(folder, path), 'utf8').catch(() => null)

  return {
    logo: createLogo(siteLogo),
    async page({ offer, sizes, theme }: PageTerms): Promise<TextResponse> {
      const text = (await read('index.html')) ?? refuse(errors.notBuilt)
      const nonce = randomBytes(16).toString('base64')
      const page = text
        .replaceAll('%nonce%', nonce)
        .replace('%theme%', theme)
        .replace(metaOf('%site%'), () => metaOf(siteName))
        .replace(titleOf('%site%'), () => titleOf(siteName))
        .replace('%passwordRule%', passwordRule)
        .replace('%offer%', offer)
        .replace('%registration%', registration)
        .replace('%sizes%', sizes)
      return new TextResponse(200, pageType, page, pageHeaders(nonce))
    },
    async file(name: string): Promise<PreparedText> {
      const [, ending = ''] = /^[\w-]+\.(js|css)$/.exec(name) ?? refuse(errors.noFile)
      const known = files.get(name)
      if (known) return known
      const text = (await read(join('console', name))) ?? refuse(errors.noFile)
      const prepared = prepareText(types[ending as keyof typeof types], text, fileHeaders)
      files.set(name, prepared)
      return prepared
    },
  }
}

export const consoleRoutes: readonly ApiRoute<ConsoleDeps, unknown>[] = [
  defineApiRoute({
    ...publicPage,
    path: '/console',
    operationId: 'getConsole',
    summary: 'Get the administration console as a page',
    reply: { status: 200, type: pageType },
    errors: [errors.notBuilt],
    async handle({ req }, deps: ConsoleDeps) {
      // The page works without the database, and shows what else fails.
      return deps.consoleFiles.page({
        offer: await offerTo(req, deps).catch(() => 'none' as const),
        sizes: deps.sizes === null ? 'off' : 'on',
        theme: themeOf(req.headers.cookie),
      })
    },
  }),
  defineApiRoute({
    ...publicPage,
    path: '/console/logo',
    operationId: 'getConsoleLogo',
    summary: 'Get the logo of the console, or the icon of the service',
    reply: [logoTypes, notModified],
    handle: (call, { consoleFiles }: ConsoleDeps) => consoleFiles.logo(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/console/:file',
    params: { file: string({ examples: ['index.js'] }) },
    operationId: 'getConsoleFile',
    isRoutine: true,
    summary: 'Get a script or style sheet of the console',
    reply: [
      { status: 200, type: types.js, also: [types.css] },
      notModified,
      { status: 302, type: plainType, description: 'The page of the console with this name' },
    ],
    errors: [errors.noFile],
    async handle(call, { consoleFiles }: ConsoleDeps) {
      const { file = '' } = call.params
      // The pages of the console are behind a # in its address.
      const isPage = !file.includes('.') && call.req.headers.accept?.includes('text/html')
      const where = `../console#/${encodeURIComponent(file)}`
      if (isPage) return new TextResponse(302, plainType, `${where}\n`, { Location: where })
      return (await consoleFiles.file(file))(call)
    },
  }),
]
