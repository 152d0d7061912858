import * as format from './formats.ts'
import { BadSetting, readSetting, type Settings, setting, type Values } from './parser.ts'

/** These show the status of every component. */
const pageKinds = ['native', 'webhook', 'statuspage', 'instatus', 'cachet', 'kener', 'uptime-kuma', 'gatus'] as const

export const isPageKind = (kind: string): boolean => pageKinds.some((each) => each === kind)

/** These get only outages and recoveries. */
export const alertKinds = ['discord', 'slack', 'telegram', 'teams', 'ntfy', 'gotify', 'mail'] as const
const kinds = [...pageKinds, ...alertKinds] as const

const kind = { default: null, help: 'Protocol of the external status service. Unset: no status is published.' }
const url = {
  default: null,
  help: 'Base URL of the external status service, without a query. statuspage: https://api.statuspage.io/v1/pages/<page id>. instatus: https://api.instatus.com/v2/<page id>. webhook: the exact URL, which may have a query.',
}
const token = {
  default: null,
  secret: true,
  help: 'Token or key of the external status service; statuspage, instatus, cachet, kener and webhook require it. webhook: the signing secret.',
} as const
const components = {
  default: null,
  secret: true,
  help: "Maps the worker's components to those of the external service, such as api=abc123, database=def456. Values are IDs for statuspage, instatus and cachet, tags for kener, push tokens for uptime-kuma, and group_name or group_name:token for gatus; only mapped components are published. native and webhook use the worker's own names: list those to publish, such as api, database. Unset: all.",
} as const

/** The target `default`. */
export const defaultTarget = {
  STATUS_SERVICE_KIND: setting({ format: format.choice(pageKinds), ...kind }),
  STATUS_SERVICE_URL: setting({ format: format.pageUrl, ...url }),
  STATUS_SERVICE_TOKEN: setting({ format: format.text(), ...token }),
  STATUS_SERVICE_COMPONENTS: setting({ format: format.componentMap, ...components }),
}

/** Settings of each further target: `<NAME>` stands for its name in upper case. */
const rows = {
  KIND: setting({
    format: format.choice(kinds),
    default: null,
    help: 'As STATUS_SERVICE_KIND. discord, slack, telegram, teams, ntfy, gotify and mail are notified of outages and recoveries only.',
  }),
  URL: setting({
    format: format.targetUrl,
    default: null,
    secret: true,
    help: 'As STATUS_SERVICE_URL. discord and slack: the URL of the webhook. telegram: not needed. teams: the URL of a workflow (Workflows, "When a Teams webhook request is received", triggered by anyone). ntfy: the URL of the topic. gotify: the URL of the server. mail: smtps://user@host, or smtp://user@host:587 with STARTTLS, whose certificate is verified if there is a password.',
  }),
  TOKEN: format.secretText(
    'As STATUS_SERVICE_TOKEN. gotify: an application token, required. ntfy: an access token, if the topic needs one. mail: the password. telegram: the token of the bot, required.',
  ),
  COMPONENTS: setting({
    format: format.componentMap,
    default: null,
    secret: true,
    help: "As STATUS_SERVICE_COMPONENTS. discord, slack, telegram, teams, ntfy, gotify and mail use the worker's own names.",
  }),
  REMINDER: setting({
    format: format.duration,
    default: null,
    help: 'Interval between reminders while a component is down, for discord, slack, telegram, teams, ntfy, gotify and mail. Unset: none.',
  }),
  FROM: setting({ format: format.text(), default: null, help: 'Sender of mails.' }),
  TO: setting({
    format: format.text(),
    default: null,
    help: 'Recipients of mails, comma-separated. telegram: the id of the chat, or @channel.',
  }),
  TEMPLATE: setting({
    format: format.text(),
    default: null,
    help: 'Text of the messages of webhook, discord, slack, telegram, teams, ntfy, gotify and mail, with fields such as {{label}}: see docs/operate.md. webhook: JSON. mail: HTML if it begins with <. Unset: our own text.',
  }),
}

type Rows = typeof rows
type Prefixed<Prefix extends string> = { [Row in keyof Rows & string as `${Prefix}_${Row}`]: Rows[Row] }

const rowsOf = <const Prefix extends string>(prefix: Prefix) =>
  Object.fromEntries(Object.entries(rows).map(([row, spec]) => [`${prefix}_${row}`, spec])) as Prefixed<Prefix>

export const targetTemplate = rowsOf('STATUS_TARGET_<NAME>')

export interface StatusTarget {
  readonly name: string
  /** Prefix of the names of its settings. */
  readonly prefix: string
  readonly kind: (typeof kinds)[number] | null
  readonly url: string | null
  readonly token: string | null
  readonly components: ReadonlyMap<string, string> | null
  readonly reminderMs?: number | null
  readonly from?: string | null
  readonly to?: string | null
  readonly template?: string | null
}

/** The target of STATUS_SERVICE_*, if set, and those that STATUS_TARGETS names. */
export function readTargets(
  values: Values<typeof defaultTarget>,
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): StatusTarget[] {
  const first: StatusTarget = {
    name: 'default',
    prefix: 'STATUS_SERVICE',
    kind: values.STATUS_SERVICE_KIND,
    url: values.STATUS_SERVICE_URL,
    token: values.STATUS_SERVICE_TOKEN,
    components: values.STATUS_SERVICE_COMPONENTS,
  }
  const others = names.map((name): StatusTarget => {
    const prefix = prefixOf(name)
    const kind = readSetting(`${prefix}_KIND`, rows.KIND, env)
    if (kind === null) throw new BadSetting(`${prefix}_KIND: expected ${rows.KIND.format.expected}, got none`)
    return {
      name,
      prefix,
      kind,
      url: readSetting(`${prefix}_URL`, rows.URL, env),
      token: readSetting(`${prefix}_TOKEN`, rows.TOKEN, env),
      components: readSetting(`${prefix}_COMPONENTS`, rows.COMPONENTS, env),
      reminderMs: readSetting(`${prefix}_REMINDER`, rows.REMINDER, env),
      from: readSetting(`${prefix}_FROM`, rows.FROM, env),
      to: readSetting(`${prefix}_TO`, rows.TO, env),
      template: readSetting(`${prefix}_TEMPLATE`, rows.TEMPLATE, env),
    }
  })
  return [...(first.kind === null && first.url === null ? [] : [first]), ...others]
}

export const prefixOf = (name: string) => `STATUS_TARGET_${name.toUpperCase()}`

/** The settings that the template stands for. */
export const settingsOfTargets = (names: readonly string[]): Settings =>
  Object.assign({}, ...names.map(prefixOf).map(rowsOf))
