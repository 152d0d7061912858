import { BadSetting } from '../../config/parser.ts'
import type { StatusPage } from '../../status/status-page.ts'
import { openGatus } from './gatus.ts'
import { openNative } from './native.ts'
import { badUrl, type PageOptions } from './options.ts'
import { openStatuspage } from './statuspage.ts'
import { openUptimeKuma } from './uptime-kuma.ts'
import { openWebhook } from './webhook.ts'

/** A further vendor is a file, and a line here. */
const vendors = {
  native: openNative,
  webhook: openWebhook,
  statuspage: openStatuspage,
  'uptime-kuma': openUptimeKuma,
  gatus: openGatus,
} as const satisfies Readonly<Record<string, (options: PageOptions) => StatusPage>>

export type StatusPageKind = keyof typeof vendors

export interface StatusPageSettings extends Omit<PageOptions, 'url'> {
  readonly kind: StatusPageKind | null
  readonly url: string | null
}

/** Null if no page is configured; half of one is a mistake and stops the start. */
export function openStatusPage({ kind, url, ...options }: StatusPageSettings): StatusPage | null {
  const { prefix } = options
  if (kind === null && url === null) return null
  if (url === null) throw new BadSetting(`${prefix}_URL: expected a URL, got none, and ${prefix}_KIND is ${kind}`)
  if (kind !== null) return vendors[kind]({ ...options, url: kind === 'webhook' ? url : baseOf(url, kind, options) })
  const kinds = Object.keys(vendors).join(', ')
  throw new BadSetting(`${prefix}_KIND: expected one of ${kinds}, got none, and ${prefix}_URL is set`)
}

/** What the paths of that kind are appended to. */
function baseOf(url: string, kind: string, options: Pick<PageOptions, 'prefix'>): string {
  const { origin, pathname, search } = new URL(url)
  if (search !== '') throw badUrl(options, `a URL without a query for ${kind}`)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
