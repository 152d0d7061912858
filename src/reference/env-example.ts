import type { Settings } from '../config/parser.ts'

const width = 100

/** Every setting as a line that is commented out, with its default. */
export function printEnvExample(sections: Readonly<Record<string, Settings>>): string {
  const blocks = Object.entries(sections).map(([title, table]) => {
    const lines = Object.entries(table).map(([name, spec]) => {
      const notes = [
        spec.help,
        `Expects ${spec.format.expected}.`,
        ...(spec.shownDefault !== undefined ? [`By default ${spec.shownDefault}.`] : []),
        ...(spec.secret ? [`May come from a file: ${name}_FILE.`] : []),
      ]
      return `${comment(notes.join(' '))}\n# ${name}=${spec.default ?? ''}\n`
    })
    return `# ---- ${title} ----\n\n${lines.join('\n')}`
  })
  return `${comment('Every setting, with its default. An empty one counts as unset. Printed by `npm run generate`.')}\n\n${blocks.join('\n')}`
}

function comment(text: string): string {
  const lines = ['#']
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1
    if (`${lines[last]} ${word}`.length > width) lines.push(`# ${word}`)
    else lines[last] = `${lines[last]} ${word}`
  }
  return lines.join('\n')
}
