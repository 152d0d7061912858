import { type Call, fileNameOf } from './call.ts'

/** A module for Node and, unless it uses files, for browsers. */
export function printJavaScript({ method, url, needsToken, body, fileType, returns }: Call): string {
  const used = [...(fileType !== null ? ['readFile'] : []), ...(returns === 'file' ? ['writeFile'] : [])]
  const type = fileType ?? (body ? 'application/json' : null)
  const headers = [
    ...(needsToken ? ['Authorization: process.env.ACCESS_TOKEN'] : []),
    ...(type !== null ? [`'Content-Type': ${literal(type)}`] : []),
  ]
  const options = [
    ...(method !== 'GET' ? [`method: ${literal(method)}`] : []),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(fileType !== null ? [`body: await readFile(${literal(fileNameOf(fileType))})`] : []),
    ...(body ? [`body: JSON.stringify(${literal(body)})`] : []),
  ]
  return [
    ...(used.length > 0 ? [`import { ${used.join(', ')} } from 'node:fs/promises'`, ''] : []),
    `const response = await fetch(${literal(url)}${options.length > 0 ? `, {\n${options.map((line) => `  ${line},\n`).join('')}}` : ''})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...uses[returns],
  ].join('\n')
}

const uses: Readonly<Record<Call['returns'], readonly string[]>> = {
  json: ['console.log(await response.json())'],
  text: ['console.log(await response.text())'],
  file: ["await writeFile('image', response.body)"],
  nothing: [],
}

function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([name, each]) => `${nameOf(name)}: ${literal(each)}`)
  return `{ ${entries.join(', ')} }`
}

const nameOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : literal(name))
