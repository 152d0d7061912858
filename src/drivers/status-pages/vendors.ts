import { BadSetting } from '../../config/parser.ts'
import { alertKinds } from '../../config/status-targets.ts'
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
import { badTemplate, badUrl, type StatusPageOptions } from './options.ts'
import { openSlack } from './slack.ts'
import { openStatuspage } from './statuspage.ts'
import { openTeams } from './teams.ts'
import { openTelegram } from './telegram.ts'
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
  telegram: openTelegram,
  teams: openTeams,
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
export function openStatusPage({ kind, url: given, ...options }: StatusPageSettings): StatusPage {
  const { prefix } = options
  const url = given ?? (kind === 'telegram' ? 'https://api.telegram.org' : null)
  if (kind === null)
    throw new BadSetting(`${prefix}_KIND: expected one of ${Object.keys(vendors).join(', ')}, got none`)
  if (url === null) throw new BadSetting(`${prefix}_URL: expected a URL for ${kind}, got none`)
  if (/^smtps?:/.test(url) !== (kind === 'mail'))
    throw badUrl(
      options,
      kind === 'mail' ? 'a URL with smtp or smtps for mail' : `a URL with http or https for ${kind}`,
    )
  if ((options.template ?? null) !== null && !hasText(kind)) throw badTemplate(options, `none: ${kind} has no text`)
  return vendors[kind]({ ...options, url: isExact(kind) ? url : baseOf(url, kind, options) })
}

/** Kinds whose URL is used exactly as configured, or for no request at all. */
const isExact = (kind: StatusPageKind) => ['webhook', 'discord', 'slack', 'teams', 'mail'].includes(kind)

/** Kinds with messages. */
const hasText = (kind: StatusPageKind) => kind === 'webhook' || (alertKinds as readonly string[]).includes(kind)

/** The base for paths of that kind. */
function baseOf(url: string, kind: string, options: Pick<StatusPageOptions, 'prefix'>): string {
  const { origin, pathname, search } = new URL(url)
  if (search !== '') throw badUrl(options, `a URL without a query for ${kind}`)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
