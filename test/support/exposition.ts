import assert from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ExposedFamily {
  readonly help: string
  readonly type: string
  readonly samples: Sample[]
}

export type Exposition = ReadonlyMap<string, ExposedFamily>

const namePattern = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const labelPattern = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"'
const headLine = new RegExp(`^# (HELP|TYPE) (${namePattern}) (.+)$`)
const sampleLine = new RegExp(`^(${namePattern})(?:\\{((?:${labelPattern},?)+)\\})? (NaN|[+-]Inf|[-+0-9.e]+)$`)

const plain = (text: string) => text.replace(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each))
const numberOf = (text: string) => (text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text))

/** Parses the text format 0.0.4, and fails on everything that a strict reader rejects. */
export function parseExposition(text: string): Exposition {
  const families = new Map<string, ExposedFamily>()
  const seen = new Set<string>()
  let current = ''
  let help: string | null = null
  if (text === '') return families
  assert.ok(text.endsWith('\n'), 'the last line has no end')
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, family = '', rest = ''] = headLine.exec(line) ?? []
    if (kind === 'HELP') {
      assert.ok(!families.has(family), `a second ${family}`)
      assert.match(rest, /^(?:[^\\]|\\[\\n])+$/, line)
      current = family
      help = plain(rest)
    } else if (kind === 'TYPE') {
      assert.ok(family === current && help !== null, `no HELP before ${line}`)
      assert.match(rest, /^(counter|gauge|histogram)$/, line)
      families.set(family, { help, type: rest, samples: [] })
      help = null
    } else {
      const found = families.get(current)
      assert.ok(found && help === null, `no TYPE before ${line}`)
      const [, name = '', labelText = '', , , value = ''] = sampleLine.exec(line) ?? assert.fail(`no sample: ${line}`)
      const ending = name.slice(current.length)
      assert.ok(name.startsWith(current) && (found.type === 'histogram') === (ending !== ''), line)
      assert.match(ending, /^(_bucket|_sum|_count)?$/, line)
      const pairs = [...labelText.matchAll(new RegExp(`${labelPattern}(?:,|$)`, 'g'))]
      assert.equal(pairs.map(([whole]) => whole).join(''), labelText, line)
      const labels = Object.fromEntries(pairs.map(([, label = '', escaped = '']) => [label, plain(escaped)]))
      assert.equal(Object.keys(labels).length, pairs.length, `a label twice: ${line}`)
      const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`
      assert.ok(!seen.has(key), `a series twice: ${line}`)
      seen.add(key)
      assert.ok(value === 'NaN' || !Number.isNaN(numberOf(value)), line)
      found.samples.push({ name, labels, value: numberOf(value) })
    }
  }
  assert.equal(help, null)
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkHistogram(name, samples)
  return families
}

/** Every series must have ascending buckets whose last equals the count, one sum and one count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const [key, all] of series) {
    const buckets = all.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ''))
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((one, other) => one - other),
      key,
    )
    assert.equal(bounds.at(-1), Infinity, key)
    for (const [index, { value }] of buckets.entries()) assert.ok(value >= (buckets[index - 1]?.value ?? 0), key)
    const count = all.filter((each) => each.name === `${name}_count`)
    assert.deepEqual([count.length, count[0]?.value], [1, buckets.at(-1)?.value], key)
    assert.equal(all.filter((each) => each.name === `${name}_sum`).length, 1, key)
  }
}

/** The value of one series; undefined if there is none. */
export function valueIn(found: Exposition, name: string, labels: Readonly<Record<string, string>> = {}) {
  const family = found.get(name) ?? found.get(name.replace(/_(bucket|sum|count)$/, ''))
  return family?.samples.find(
    (each) =>
      each.name === name &&
      Object.keys(each.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )?.value
}

export const countSeries = (found: Exposition) =>
  [...found.values()].reduce((count, { samples }) => count + samples.length, 0)
