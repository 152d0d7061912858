/* Metrics in Prometheus' text format 0.0.4. Handles are looked up once; counting is a plain addition. */

export type Labels = Readonly<Record<string, string>>
/** One number, or one per set of labels; null if unknown. */
export type Reading = number | null | Iterable<readonly [labels: Labels, value: number]>

export const byLabel = (label: string, numbers: Readonly<Record<string, number>>): Reading =>
  Object.entries(numbers).map(([value, number]) => [{ [label]: value }, number] as const)

export class Counter {
  value = 0

  add(amount = 1): void {
    this.value += amount
  }
}

export class Histogram {
  readonly #bounds: Float64Array
  /** The count of each bucket, including the infinite one, and the sum. */
  readonly #cells: Float64Array

  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds)
    this.#cells = new Float64Array(bounds.length + 2)
  }

  observe(value: number): void {
    const [bounds, cells] = [this.#bounds, this.#cells]
    const { length } = bounds
    let index = 0
    while (index < length && value > (bounds[index] as number)) index++
    cells[index] = (cells[index] as number) + 1
    cells[length + 1] = (cells[length + 1] as number) + value
  }

  /** Cumulative counts. */
  read(): { readonly buckets: readonly (readonly [bound: number, count: number])[]; readonly sum: number } {
    let count = 0
    const buckets = [...this.#bounds, Infinity].map((bound, index) => {
      count += this.#cells[index] as number
      return [bound, count] as const
    })
    return { buckets, sum: this.#cells.at(-1) as number }
  }
}

/** The series with these label values, in the order of the labels; always the same handle. */
export type Family<T> = (...values: readonly string[]) => T

export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Family<Counter>
  /** Bounds ascend; +Inf is added. */
  histogram(name: string, help: string, bounds: readonly number[], labels?: readonly string[]): Family<Histogram>
  /** A counter if its name ends in _total, else a gauge. Calls `read` on each render; one that throws is left out. */
  read(name: string, help: string, read: () => Reading): void
  render(): string
}

export function createMetrics(): Metrics {
  const families = new Map<string, { readonly head: string; lines(): string }>()

  const define = (type: string, name: string, help: string, lines: () => string) => {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${name} is not a valid metric name`)
    if ((type === 'counter') !== name.endsWith('_total'))
      throw new Error(`${name}: names of counters, and no others, must end in _total`)
    if (families.has(name)) throw new Error(`duplicate metric ${name}`)
    families.set(name, { head: `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`, lines })
  }

  function series<T>(
    { type, name, help, labels }: { type: string; name: string; help: string; labels: readonly string[] },
    make: () => T,
    show: (labels: string, handle: T) => string,
  ): Family<T> {
    const known = new Map<string, T>()
    define(type, name, help, () => [...known].map(([text, handle]) => show(text, handle)).join(''))
    return (...values) => {
      if (values.length !== labels.length)
        throw new Error(`${name} takes ${labels.length} labels, not ${values.length}`)
      const text = labelText(labels.map((label, index) => [label, values[index] as string]))
      const handle = known.get(text) ?? make()
      known.set(text, handle)
      return handle
    }
  }

  return {
    counter: (name, help, labels = []) =>
      series(
        { type: 'counter', name, help, labels },
        () => new Counter(),
        (text, { value }) => sample(name, text, value),
      ),
    histogram(name, help, bounds, labels = []) {
      if (bounds.some((bound, index) => !Number.isFinite(bound) || bound <= (bounds[index - 1] ?? -Infinity)))
        throw new Error(`${name}: the bounds must ascend`)
      return series(
        { type: 'histogram', name, help, labels },
        () => new Histogram(bounds),
        (text, handle) => showHistogram(name, text, handle),
      )
    },
    read(name, help, read) {
      define(name.endsWith('_total') ? 'counter' : 'gauge', name, help, () => {
        const found = read()
        if (found === null) return ''
        if (typeof found === 'number') return sample(name, '', found)
        return [...found].map(([labels, value]) => sample(name, labelText(Object.entries(labels)), value)).join('')
      })
    },
    render: () => [...families.values()].map(({ head, lines }) => head + orNothing(lines)).join(''),
  }
}

function showHistogram(name: string, text: string, histogram: Histogram): string {
  const { buckets, sum } = histogram.read()
  const before = text === '' ? '' : `${text},`
  const lines = buckets.map(([bound, count]) => sample(`${name}_bucket`, `${before}le="${numberText(bound)}"`, count))
  const count = buckets.at(-1)?.[1] ?? 0
  return lines.join('') + sample(`${name}_sum`, text, sum) + sample(`${name}_count`, text, count)
}

function orNothing(lines: () => string): string {
  try {
    return lines()
  } catch {
    return ''
  }
}

const labelText = (labels: readonly (readonly [name: string, value: string])[]) =>
  labels.map(([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`).join(',')
const sample = (name: string, labels: string, value: number) =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`
const numberText = (value: number) => (Math.abs(value) === Infinity ? (value < 0 ? '-Inf' : '+Inf') : String(value))
const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
