import { markdownHeadings } from './headings.ts'
import { errorChapter, errorLinks } from './markdown-errors.ts'
import { groupChapter } from './markdown-route.ts'
import { fence, plain, table } from './markdown-text.ts'
import { paramsOf, type Reference } from './model.ts'
import { slug, uniqueNames } from './slug.ts'
import { createTypeText, type TypeText } from './type-text.ts'

/** The reference as GitHub-flavoured Markdown. */
export function printMarkdown(model: Reference): string {
  const listed = model.groups.flatMap((group) => group.listed)
  const types = createTypeText({
    params: listed.flatMap(({ route }) => paramsOf(route)),
    inputs: listed.flatMap(({ route }) => [route.query ?? [], route.body ?? []].flat()),
    replies: listed.flatMap(({ replies }) => replies.flatMap(({ spec }) => spec.schema ?? [])),
  })
  const { sharedErrors } = model
  const chapters = [
    model.intro.trim(),
    ...model.groups.map((group) => groupChapter(group, { types, sharedErrors })),
    errorChapter(model),
    typeChapter(model, types),
    limitChapter(model),
    settingChapter(model),
  ].join('\n\n')
  const head = `# ${plain(model.title)}\n\n${plain(model.summary)}\n\nVersion ${plain(model.version)}. ${model.openings.markdown}`
  return `${head}\n\n## Contents\n\n${contents(model.title, chapters)}\n\n${chapters}\n\n${errorLinks(model)}\n`
}

/** Built from the headings, so that there are no dead links. Routes are found by their path. */
function contents(title: string, chapters: string): string {
  const anchorOf = uniqueNames()
  for (const first of [title, 'Contents']) anchorOf(slug(first))
  return markdownHeadings(chapters)
    .map(({ level, text }) => ({ level, text, id: anchorOf(slug(text)) }))
    .filter(({ level }) => level <= 2)
    .map(({ text, id }) => `- [${text}](#${id})`)
    .join('\n')
}

const typeChapter = ({ openings }: Reference, { shapes, fields }: TypeText) =>
  ['## Types', openings.types, fence('ts', shapes.join('\n')), openings.fields, fence('ts', fields.join('\n'))].join(
    '\n\n',
  )

const limitChapter = ({ limits, openings }: Reference) =>
  [
    '## Limits',
    openings.limits,
    table(
      ['Limit', 'Maximum', 'Beyond'],
      limits.map(({ what, value, beyond }) => [plain(what), plain(value), plain(beyond)]),
    ),
  ].join('\n\n')

const settingChapter = ({ openings }: Reference) =>
  ['## Settings', `${openings.settings} ${openings.settingsElsewhere}`].join('\n\n')
