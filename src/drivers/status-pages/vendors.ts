import { BadSetting } from '../../config/parser.ts'
import type { StatusPage } from '../../status/status-page.ts'
import { openCachet } from './cachet.ts'
import { openDiscord } from './discord.ts'
import { openGatus } from './gatus.ts'
import { openGotify } from './gotify.ts'
import { openInstatus } from './instatus.ts'
import { openKener } from './kener.ts'
import { openMail } from './mail.ts'
import { openNative } from './native.ts'
import { openNtfy } from './ntfy.ts'
import { badUrl, type StatusPageOptions } from './options.ts'
import { openSlack } from './slack.ts'
import { openStatuspage } from './statuspage.ts'
import { openUptimeKuma } from './uptime-kuma.ts'
import { openWebhook } from './webhook.ts'

/**
 * To add a vendor, add a file, a line here, and its name to `pageKinds` or `alertKinds` in config/status-targets.ts.
 */
const vendors = {
  native: openNative,
  webhook: openWebhook,
  statuspage: openStatuspage,
  instatus: openInstatus,
  cachet: openCachet,
  kener: openKener,
  'uptime-kuma': openUptimeKuma,
  gatus: openGatus,
  discord: openDiscord,
  slack: openSlack,
  ntfy: openNtfy,
  gotify: openGotify,
  mail: openMail,
} as const satisfies Readonly<Record<string, (options: StatusPageOptions) => StatusPage>>

export type StatusPageKind = keyof typeof vendors

export interface StatusPageSettings extends Omit<StatusPageOptions, 'url'> {
  readonly kind: StatusPageKind | null
  readonly url: string | null
}

/** Throws a BadSetting if a setting is missing or invalid. */
export function openStatusPage({ kind, url, ...options }: StatusPageSettings): StatusPage {
  const { prefix } = options
  if (kind === null)
    throw new BadSetting(`${prefix}_KIND: expected one of ${Object.keys(vendors).join(', ')}, got none`)
  if (url === null) throw new BadSetting(`${prefix}_URL: expected a URL for ${kind}, got none`)
  if (/^smtps?:/.test(url) !== (kind === 'mail'))
    throw badUrl(
      options,
      kind === 'mail' ? 'a URL with smtp or smtps for mail' : `a URL with http or https for ${kind}`,
    )
  return vendors[kind]({ ...options, url: isExact(kind) ? url : baseOf(url, kind, options) })
}

/** Kinds whose URL is used exactly as configured, or for no request at all. */
const isExact = (kind: StatusPageKind) => ['webhook', 'discord', 'slack', 'mail'].includes(kind)

/** The base for paths of that kind. */
function baseOf(url: string, kind: string, options: Pick<StatusPageOptions, 'prefix'>): string {
  const { origin, pathname, search } = new URL(url)
  if (search !== '') throw badUrl(options, `a URL without a query for ${kind}`)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
