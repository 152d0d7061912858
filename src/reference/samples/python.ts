import { type Call, fileNameOf } from './call.ts'

/** For Python 3, using only the standard library. */
export function printPython({ method, url, needsToken, body, fileType, returns }: Call): string {
  const type = fileType ?? (body ? 'application/json' : null)
  const headers = [
    ...(needsToken ? ['"Authorization": os.environ["ACCESS_TOKEN"]'] : []),
    ...(type !== null ? [`"Content-Type": ${literal(type)}`] : []),
  ]
  const options = [
    ...(method !== 'GET' ? [`method=${literal(method)}`] : []),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(fileType !== null ? [`data=open(${literal(fileNameOf(fileType))}, "rb").read()`] : []),
    ...(body ? [`data=json.dumps(${literal(body)}).encode()`] : []),
  ]
  return [
    ...(body || returns === 'json' ? ['import json'] : []),
    ...(needsToken ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    `request = Request(\n${[literal(url), ...options].map((line) => `    ${line},\n`).join('')})`,
    'with urlopen(request) as response:',
    `    ${uses[returns]}`,
  ].join('\n')
}

const uses: Readonly<Record<Call['returns'], string>> = {
  json: 'print(json.load(response))',
  text: 'print(response.read().decode())',
  file: 'open("image", "wb").write(response.read())',
  nothing: 'print(response.status)',
}

/** A JSON string is also a Python string. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${literal(each)}`)
    .join(', ')}}`
}
