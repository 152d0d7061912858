import type { Config } from '../../config/config.ts'
import { type Logo, readLogo } from '../logo.ts'

/** What an operator makes the page theirs with; null: unset. */
export interface PageSettings {
  readonly title: string | null
  readonly description: string | null
  readonly link: string | null
  readonly color: string | null
  readonly logo: Logo | null
}

type Settings = `STATUS_PAGE_${'TITLE' | 'DESCRIPTION' | 'LINK' | 'COLOR' | 'LOGO'}`

/** Throws a BadSetting if the logo cannot be used. */
export const pageSettingsOf = (config: Pick<Config, Settings>): PageSettings => ({
  title: config.STATUS_PAGE_TITLE,
  description: config.STATUS_PAGE_DESCRIPTION,
  link: config.STATUS_PAGE_LINK,
  color: config.STATUS_PAGE_COLOR,
  logo: readLogo('STATUS_PAGE_LOGO', config.STATUS_PAGE_LOGO),
})
