import { code, plain, table } from './markdown-text.ts'
import type { Reference, SettingView } from './model.ts'

/** Every setting as GitHub-flavoured Markdown, a document of its own: those who call the API need none. */
export function printSettings({ openings, settings }: Pick<Reference, 'openings' | 'settings'>): string {
  const parts = [
    '# Settings',
    openings.settings,
    ...settings.flatMap((section) => [
      `## ${plain(section.title)}`,
      table(['Variable', 'Default', 'Format', 'Description'], section.settings.map(settingRow)),
    ]),
  ]
  return `${parts.join('\n\n')}\n`
}

function settingRow(setting: SettingView): string[] {
  const meaning = [
    plain(setting.help),
    ...(setting.secret ? [`Secret; ${code(`${setting.name}_FILE`)} reads it from a file.`] : []),
  ]
  return [code(setting.name), defaultOf(setting), plain(setting.format.expected), meaning.join(' ')]
}

const defaultOf = (setting: SettingView) =>
  setting.shownDefault !== undefined
    ? plain(setting.shownDefault)
    : setting.default !== null
      ? code(setting.default)
      : 'unset'
