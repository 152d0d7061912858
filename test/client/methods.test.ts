import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import { clientFolder } from './readme.ts'

/** Every method of the object and of those in it, such as `auth.keys.create`. */
const methodsOf = (object: object, prefix = ''): string[] =>
  Object.entries(object).flatMap(([name, value]) => {
    if (typeof value === 'function') return [prefix + name]
    return typeof value === 'object' ? methodsOf(value, `${prefix}${name}.`) : []
  })

/** Between semicolons, the first name says in which object the others are: `keys.create`, `list`; `embed.create`. */
function listedIn(cells: string, prefix: string): string[] {
  return cells.split(';').flatMap((part) => {
    const names = [...part.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const within = names[0]?.replace(/[^.]*$/, '') ?? ''
    return names.map((name, index) => prefix + (index === 0 ? name : within + name))
  })
}

it("The table of the client's README lists every method of the client once, and nothing else", () => {
  const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| (?:`(\w+)` )?\| (`.+) \|$/gm)]
  const listed = rows.flatMap(([, object, cells = '']) => listedIn(cells, object === undefined ? '' : `${object}.`))
  assert.deepEqual(listed.toSorted(), methodsOf(createClient({ url: 'http://localhost:3000' })).toSorted())
})
