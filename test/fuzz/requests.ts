import type { Schema } from '../../src/http/schema.ts'
import type { Operation, Parameter } from './document.ts'

export interface Generated {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

const awkward = [
  ...['', ' ', '0', '-1', '1e3', '9007199254740993', 'null', '..', '../../etc/passwd', '%', '%00', '\0', 'a\r\nb', '"'],
  ...[
    'é',
    '🦊',
    '\ud800',
    '\u202e',
    "' OR 1=1 --",
    '{{title}}',
    '<script>',
    '__proto__',
    'constructor',
    'a'.repeat(300),
  ],
]
const awkwardValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  {},
  [[]],
  { __proto__: null, toString: 1 },
]
/** Parameters with the values of a field of another name. */
const sameAs: Readonly<Record<string, string>> = {
  cursor: 'next',
  folder: 'kind',
  target: 'name',
  incident: 'id',
  currentPassword: 'password',
  ids: 'id',
  newUsername: 'username',
  after: 'at',
  before: 'at',
}
const headerValues: Readonly<Record<string, readonly string[]>> = {
  Range: ['bytes=0-9', 'bytes=-1', 'bytes=99999999-', 'bytes=5-2', 'bytes=0-0,2-3', 'items=0-1'],
  'If-None-Match': ['*', '"a"', 'W/"a", "b"', '"', ','],
  'If-Match': ['*', '"a"', '"a'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday'],
  'If-Range': ['"a"', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Accept: ['application/json', 'image/webp', '*/*;q=0', ''],
  'Accept-Encoding': ['gzip', 'br;q=0.5, *', 'gzip;q=x'],
  'Content-Encoding': ['gzip', 'identity', 'nonsense'],
  'Sec-Fetch-Site': ['same-origin', 'cross-site'],
  'X-Forwarded-For': ['192.0.2.1', '::1, nonsense', 'a'.repeat(500)],
  Origin: ['null', 'http://localhost', 'https://other.example'],
}

/** Makes requests from the schemas of a document, and from values that earlier replies had. */
export class Generator {
  readonly #random: () => number
  readonly #seen = new Map<string, unknown[]>()
  readonly #pictures: readonly Uint8Array[]
  readonly #spared: readonly string[]

  /** `spared` values are never learned: the requests would rename or end the owner who replaces everybody else. */
  constructor(random: () => number, pictures: readonly Uint8Array[], spared: readonly string[]) {
    this.#random = random
    this.#spared = spared
    this.#pictures = pictures
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  whole(below: number): number {
    return Math.floor(this.#random() * below)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.whole(values.length)] as T
  }

  /** Keeps the values of a reply by the name of their field, ids also by the list or thing that they are of. */
  learn(value: unknown, name = '', path = ''): void {
    if (Array.isArray(value)) for (const item of value.slice(0, 5)) this.learn(item, name, path)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        this.learn(item, key, path)
        if (path !== '' && /^(id|componentId|name|incidentId)$/.test(key)) this.learn(item, beginningOf(path))
      }
    else if (typeof value === 'string' && value.length < 500 && !this.#spared.includes(value)) {
      const [kind, file, ...more] = value.split('/')
      if (name === 'name' && kind && file && more.length === 0) {
        this.learn(kind, 'kind')
        for (const each of ['file', 'filename']) this.learn(file, each)
      }
      const known = this.#seen.get(name) ?? []
      if (known.length < 40) known.push(value)
      else known[this.whole(40)] = value
      this.#seen.set(name, known)
    }
  }

  request({ path, parameters, bodies }: Operation): Generated {
    const isNearlyValid = this.chance(0.4)
    const textFor = ({ name, schema, in: where }: Parameter) =>
      this.#text(this.#value(schema, name, isNearlyValid && !(where === 'path' && schema.enum) ? 0.3 : 0))
    // Another kind than those of the document is another path.
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
      const own = this.#seen.get(beginningOf(path)) ?? []
      const text =
        own.length > 0 && !parameter?.schema.enum && this.chance(0.5)
          ? String(this.oneOf(own))
          : textFor(parameter ?? { name, in: 'path', schema: { type: 'string' } })
      // The client would resolve dots to another path.
      return ['', '.', '..'].includes(text) ? 'x' : encoded(text)
    })
    const query: string[] = []
    for (const parameter of parameters) {
      if (parameter.in !== 'query' || !this.chance(parameter.required ? 0.95 : 0.3)) continue
      query.push(`${encoded(parameter.name)}=${encoded(textFor(parameter))}`)
      if (this.chance(0.03)) query.push(`${encoded(parameter.name)}=${encoded(textFor(parameter))}`)
    }
    if (isNearlyValid && this.chance(0.1)) query.push(this.oneOf(['=', 'nonsense=1', '%', 'a=%zz', '__proto__=1']))
    const headers: Record<string, string> = {}
    for (const [name, values] of Object.entries(headerValues)) if (this.chance(0.06)) headers[name] = this.oneOf(values)
    const body = this.#body(bodies, headers, isNearlyValid)
    return { path: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`, headers, body }
  }

  #body(bodies: Operation['bodies'], headers: Record<string, string>, isNearlyValid: boolean) {
    if (bodies.length === 0) return isNearlyValid && this.chance(0.1) ? '{}' : undefined
    const [type, { schema = {} }] = this.oneOf(bodies)
    headers['Content-Type'] = isNearlyValid && this.chance(0.1) ? 'text/nonsense' : type.replace('*/*', 'text/plain')
    if (type.startsWith('image/')) return this.#damaged(this.oneOf(this.#pictures), isNearlyValid)
    const value = this.#value(schema, '', isNearlyValid ? 0.25 : 0)
    const isForm = type === 'application/x-www-form-urlencoded'
    const text =
      isForm && typeof value === 'object' && value !== null
        ? Object.entries(value)
            .map(([key, item]) => `${encoded(key)}=${encoded(this.#text(item))}`)
            .join('&')
        : type === 'application/json'
          ? JSON.stringify(value)
          : this.#text(value)
    return isNearlyValid && this.chance(0.2) ? this.#damaged(Buffer.from(text), true) : text
  }

  #damaged(bytes: Uint8Array, isDamaged: boolean): Uint8Array {
    if (!isDamaged) return bytes
    const copy = Uint8Array.from(bytes.subarray(0, this.chance(0.3) ? this.whole(bytes.length) : bytes.length))
    for (let times = this.whole(4); times >= 0 && copy.length > 0; times--)
      copy[this.whole(copy.length)] = this.whole(256)
    return copy
  }

  #text(value: unknown): string {
    return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
  }

  /** `oddness` is the share of values that need not fit. */
  #value(schema: Schema, name: string, oddness: number): unknown {
    if (this.chance(oddness / 2)) return this.chance(0.6) ? this.oneOf(awkward) : this.oneOf(awkwardValues)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return this.oneOf(schema.enum)
    if (schema.anyOf) return this.#value(this.oneOf(schema.anyOf), name, oddness)
    switch (schema.type) {
      case 'object':
        return this.#object(schema, oddness)
      case 'array':
        return Array.from({ length: this.whole(4) }, () => this.#value(schema.items ?? {}, name, oddness))
      case 'integer':
      case 'number':
        return this.#number(schema, oddness)
      case 'boolean':
        return this.chance(0.5)
      case 'null':
        return null
      default:
        return this.#string(schema, name)
    }
  }

  #object({ properties = {}, required = [] }: Schema, oddness: number): Record<string, unknown> {
    const made: Record<string, unknown> = {}
    for (const [key, property] of Object.entries(properties))
      if (this.chance(required.includes(key) ? 1 - oddness / 4 : 0.4)) made[key] = this.#value(property, key, oddness)
    return made
  }

  #number({ minimum = 0, maximum = minimum + 1_000 }: Schema, oddness: number): number {
    if (this.chance(oddness)) return this.oneOf([minimum - 1, maximum + 1, minimum + 0.5])
    return this.chance(0.3)
      ? this.oneOf([minimum, maximum])
      : minimum + this.whole(Math.min(maximum - minimum, 100) + 1)
  }

  #string({ examples = [], format, minLength = 0 }: Schema, name: string): string {
    const known = this.#seen.get(sameAs[name] ?? name) ?? this.#seen.get('id') ?? []
    if (known.length > 0 && this.chance(0.6)) return String(this.oneOf(known))
    if (examples.length > 0 && this.chance(0.7)) return String(this.oneOf(examples))
    if (format === 'date-time') return new Date(Date.now() + (this.whole(200) - 100) * 3_600_000).toISOString()
    if (this.chance(0.1)) return this.oneOf(awkward)
    return `fuzz${this.whole(1e6).toString(36)}`.padEnd(minLength, 'x')
  }
}

/** What is before the first parameter of a path. */
const beginningOf = (path: string) => path.replace(/\/\{.*/, '')

/** As encodeURIComponent, which refuses a lone surrogate. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
