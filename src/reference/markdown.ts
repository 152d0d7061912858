import { STATUS_CODES } from '../http/node-http.ts'
import type { Upload } from '../http/route.ts'
import { anywhereTitle, sectionTitle, withTokenTitle } from './anchors.ts'
import { everyError } from './every-error.ts'
import { deepen, markdownHeadings } from './headings.ts'
import { limitList } from './limit-rows.ts'
import {
  type ErrorView,
  type GroupView,
  ownErrors,
  type Reference,
  type ReplyView,
  type RouteView,
  type SettingView,
} from './model.ts'
import { aboutField, type FieldRow } from './rows.ts'
import type { Sample } from './samples/samples.ts'
import { slug, uniqueNames } from './slug.ts'

/** The reference as GitHub-flavoured Markdown. */
export function printMarkdown(model: Reference): string {
  const chapters = [
    model.intro.trim(),
    ...model.groups.map((group) => groupChapter(group, model.withToken)),
    errorChapter(model),
    limitChapter(model),
    settingChapter(model),
    deepen(model.decisions.trim()),
  ].join('\n\n')
  const head = `# ${plain(model.title)}\n\n${plain(model.summary)}\n\nVersion ${plain(model.version)}.`
  return `${head}\n\n## Contents\n\n${contents(model.title, chapters)}\n\n${chapters}\n`
}

/** Built from the headings, so that there are no dead links. */
function contents(title: string, chapters: string): string {
  const anchorOf = uniqueNames()
  for (const first of [title, 'Contents']) anchorOf(slug(first))
  return markdownHeadings(chapters)
    .map(({ level, text }) => ({ level, text, id: anchorOf(slug(text)) }))
    .filter(({ level }) => level <= 3)
    .map(({ level, text, id }) => `${'  '.repeat(level - 2)}- [${text}](#${id})`)
    .join('\n')
}

type WithToken = Reference['withToken']

function groupChapter({ title, description, service, listed }: GroupView, withToken: WithToken): string {
  const address = `Address: ${code(service.base)}`
  return [
    `## ${plain(title)}`,
    description && plain(description),
    address,
    ...listed.map((view) => routeSection(view, withToken)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function routeSection(view: RouteView, withToken: WithToken): string {
  const { route } = view
  const errors = ownErrors(view, withToken.errors)
  const others = view.access.needsToken ? ` and [of every route with a token](#${withToken.id})` : ''
  const access = view.access.needsToken ? `${plain(view.access.label)} (token required)` : plain(view.access.label)
  return [
    `### ${route.method} ${view.path}`,
    `**${plain(route.summary)}.** ${plain(route.description ?? '')}`.trim(),
    `Access: ${access}.`,
    ...limitList(view.limits).map((list) => list.split('\n').map(plain).join('\n')),
    ...view.samples.flatMap(sampleSection),
    ...inputTable('Path', view.params),
    ...inputTable('Query', view.query),
    ...inputTable(`Body (JSON, at most ${view.bodyLimit})`, view.body),
    ...(view.route.upload ? [uploadSection(view.route.upload)] : []),
    ...view.replies.flatMap(replySection),
    ...(view.errors.length > 0
      ? [
          `**Errors**, in addition to [those of any path](#errors)${others}`,
          ...(errors.length > 0 ? [errorTable(errors)] : []),
        ]
      : []),
  ].join('\n\n')
}

const sampleSection = ({ title, codes }: Sample) => [
  ...(title === 'Call' ? [] : [`${plain(title)}:`]),
  ...codes.map(({ language, code: text }) => fence(language, text)),
]

const inputTable = (title: string, rows: readonly FieldRow[]) =>
  rows.length > 0 ? [`**${title}**`, fieldTable(rows)] : []

function fieldTable(rows: readonly FieldRow[]): string {
  const lines = rows.map((row) => [
    code(row.name),
    row.required ? row.type : `${row.type}, optional`,
    plain(aboutField(row)),
  ])
  return table(['Field', 'Type', 'Notes'], lines)
}

const uploadSection = ({ types, description }: Upload) => `**Body** (${code(types)}): ${plain(description)}`

function replySection({ spec, types, rows, example }: ReplyView): string[] {
  const note = spec.description ? `: ${plain(spec.description)}` : ''
  const title = `**Reply ${spec.status} ${STATUS_CODES[spec.status]}**${types.map((type) => `, ${code(type)}`).join('')}${note}`
  if (!spec.schema) return [title]
  return [title, fence('json', JSON.stringify(example, null, 2)), fieldTable(rows)]
}

function errorTable(errors: readonly ErrorView[]): string {
  return table(
    ['Status', 'Body', 'When'],
    errors.map((error) => [String(error.status), code(error.body), whenOf(error)]),
  )
}

function whenOf({ when, headers }: ErrorView): string {
  const sent = Object.entries(headers).map(([name, value]) => `with ${code(`${name}: ${value}`)}`)
  return [plain(when), ...sent].filter((text) => text !== '').join(', ')
}

function errorChapter(model: Reference): string {
  return [
    '## Errors',
    model.openings.errors,
    table(
      ['Shape', 'Used for'],
      model.shapes.map(({ body, use }) => [code(body), plain(use)]),
    ),
    ...model.anywhere.flatMap(({ service, errors }) => [
      `### ${plain(anywhereTitle(service.title))}`,
      errorTable(errors),
    ]),
    `### ${withTokenTitle}`,
    errorTable(model.withToken.errors),
    '### Every error text',
    table(
      ['Status', 'Message', 'Routes'],
      everyError(model).map(({ status, message, usedBy }) => [
        String(status),
        code(message),
        usedBy.map(({ text, isRoute }) => (isRoute ? code(text) : plain(text))).join(', '),
      ]),
    ),
  ].join('\n\n')
}

const limitChapter = ({ limits }: Reference) =>
  [
    '## Limits',
    table(
      ['Limit', 'Maximum', 'Beyond'],
      limits.map(({ what, value, beyond }) => [plain(what), plain(value), plain(beyond)]),
    ),
  ].join('\n\n')

function settingChapter({ openings, settings }: Reference): string {
  return [
    '## Settings',
    openings.settings,
    ...settings.flatMap((section) => [
      `### ${plain(sectionTitle(section.title))}`,
      table(['Variable', 'Default', 'Format', 'Description'], section.settings.map(settingRow)),
    ]),
  ].join('\n\n')
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A pipe ends a cell, even in code, and a line break ends the table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return longest > 0 ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`
}

function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`+/gm)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}

/** Escapes everything but code in backticks. */
const plain = (text: string) =>
  text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`*[\]<>~&]/g, (mark) => `\\${mark}`)))
    .join('')
    .replace(/\s*\n\s*/g, ' ')
