import { BadSetting } from '../../config/parser.ts'
import type { StatusPage } from '../../status/status-page.ts'
import { openCachet } from './cachet.ts'
import { openGatus } from './gatus.ts'
import { openInstatus } from './instatus.ts'
import { openKener } from './kener.ts'
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
  instatus: openInstatus,
  cachet: openCachet,
  kener: openKener,
  'uptime-kuma': openUptimeKuma,
  gatus: openGatus,
} as const satisfies Readonly<Record<string, (options: PageOptions) => StatusPage>>

export type StatusPageKind = keyof typeof vendors

export interface StatusPageSettings extends Omit<PageOptions, 'url'> {
  readonly kind: StatusPageKind | null
  readonly url: string | null
}

/** Throws a BadSetting if a setting is missing or invalid. */
export function openStatusPage({ kind, url, ...options }: StatusPageSettings): StatusPage {
  const { prefix } = options
  if (kind === null)
    throw new BadSetting(`${prefix}_KIND: expected one of ${Object.keys(vendors).join(', ')}, got none`)
  if (url === null) throw new BadSetting(`${prefix}_URL: expected a URL for ${kind}, got none`)
  return vendors[kind]({ ...options, url: kind === 'webhook' ? url : baseOf(url, kind, options) })
}

/** What the paths of that kind are appended to. */
function baseOf(url: string, kind: string, options: Pick<PageOptions, 'prefix'>): string {
  const { origin, pathname, search } = new URL(url)
  if (search !== '') throw badUrl(options, `a URL without a query for ${kind}`)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
