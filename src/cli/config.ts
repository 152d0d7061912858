import type { Command } from 'commander'
import { firstOwnerOf } from '../accounts/ensure-owner.ts'
import { readLogo } from '../api/logo.ts'
import { type Config, type Env, readConfig } from '../config/config.ts'
import type { Setting } from '../config/parser.ts'
import { riskySettings } from '../config/risky-settings.ts'
import { sections } from '../config/settings.ts'
import { settingsOfTargets, targetTemplate } from '../config/status-targets.ts'
import { unknownVariables } from '../config/unknown-variables.ts'
import { checkDataDir } from '../drivers/data-dir.ts'
import type { Clock } from '../lib/clock.ts'
import { checkHost } from '../process/address.ts'
import type { Cli } from './cli-context.ts'
import { table, widthsOf } from './output.ts'

const masked = '****'

export function configCommands(program: Command, cli: Cli): void {
  program
    .command('config')
    .description('inspect settings')
    .command('check')
    .description('Validate all settings, and show each with its source: set, default or from file.')
    .action(() => checkConfig(cli))
}

async function checkConfig(cli: Cli): Promise<void> {
  try {
    await showConfig(cli)
  } catch (error) {
    // A misspelt name may be why another setting is invalid.
    warn(cli, unknownVariables(cli.env))
    throw error
  }
}

const warn = ({ out }: Cli, warnings: readonly { readonly message: string }[]): void => {
  for (const { message } of warnings) out.note(`Warning: ${message}`)
}

async function showConfig(cli: Cli): Promise<void> {
  const { env, out, clock } = cli
  const config = readConfig(env)
  firstOwnerOf(config)
  await checkParts(config, clock)
  // Not an error: the service may run as another user.
  const ofThisUser = checkDataDir(config.DATA_DIR)
  const worker = { ...sections['The status worker'], ...settingsOfTargets(config.STATUS_TARGETS ?? []) }
  const { Tests: _, ...used } = sections
  const settings = Object.entries({ ...used, 'The status worker': worker }).flatMap(([section, settingsOf]) =>
    Object.entries<Setting<unknown>>(settingsOf)
      .filter(([name]) => !(name in targetTemplate))
      .map(([name, spec]) => show(section, name, spec, env)),
  )
  const unknown = unknownVariables(env)
  const warnings = [...unknown, ...riskySettings(env), ...(ofThisUser ? [ofThisUser] : [])]
  await out.print({ settings, unknown }, linesOf(settings, warnings.length))
  warn(cli, warnings)
}

/** The checks that the programs make when they open each part, without connecting. */
async function checkParts(config: Config, clock: Clock): Promise<void> {
  for (const setting of ['HOST', 'STATUS_HOST'] as const) await checkHost(setting, config[setting])
  for (const setting of ['SITE_LOGO', 'STATUS_PAGE_LOGO'] as const) readLogo(setting, config[setting])
  if (config.S3_ENDPOINT !== null) (await import('../api/image-store.ts')).checkKeys(config)
  if (config.REDIS_URL !== null) await (await import('../drivers/counters/redis.ts')).loadRedis(config.REDIS_URL, 1)
  if (config.statusTargets.length === 0) return
  const { openTargets } = await import('../drivers/status-pages/open-target.ts')
  for (const { page } of openTargets(config, { clock, source: 'none' })) await page.close()
}

function show(section: string, name: string, spec: Setting<unknown>, env: Env) {
  const file = (spec.secret && !env[name] && env[`${name}_FILE`]) || null
  const source = env[name] ? 'set' : file ? 'file' : 'default'
  const written = env[name] || spec.default
  return {
    section,
    name,
    /** As written; null if unset; `****` for a secret that is set. */
    value: spec.secret && source !== 'default' ? masked : written,
    source,
    file,
    /** Describes a default that is not a fixed text. */
    meaning: source === 'default' && spec.default === null ? (spec.shownDefault ?? null) : null,
  }
}

type ShownSetting = ReturnType<typeof show>

function linesOf(settings: readonly ShownSetting[], warnings: number): string {
  const widths = widthsOf(settings.map(rowOf))
  const groups = [...Map.groupBy(settings, ({ section }) => section)]
  const blocks = groups.map(([section, group]) => `${section}\n${table(group.map(rowOf), widths)}`)
  return [...blocks, `All settings are valid${warnings > 0 ? `; warnings: ${warnings}` : ''}.`].join('\n\n')
}

const rowOf = ({ name, value, source, file, meaning }: ShownSetting) => [
  `  ${name}`,
  value ?? meaning ?? 'unset',
  file === null ? source : `from file ${file}`,
]
