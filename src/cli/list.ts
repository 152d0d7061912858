import { type Output, widthsOf } from './output.ts'

export const pageSize = 500

interface List<T> {
  /** The name of the array in the JSON document. */
  readonly name: string
  readonly pages: AsyncIterable<readonly T[]>
  readonly heading: readonly string[]
  rowOf(item: T): readonly string[]
  /** Max width of the first column, if more pages may follow. */
  readonly maxWidth?: number
  shown(item: T): object
}

/** Prints page by page, so that a million items need no more memory than a page. */
export async function writeList<T>(out: Output, list: List<T>): Promise<void> {
  const { name, heading, maxWidth = 0 } = list
  let count = 0
  let widths: number[] | undefined
  if (out.json) await out.write(`{"${name}":[`)
  for await (const page of list.pages) {
    if (out.json)
      await out.write(page.map((item, i) => `${count + i ? ',' : ''}\n${JSON.stringify(list.shown(item))}`).join(''))
    else {
      const rows = page.map(list.rowOf)
      const isFirst = widths === undefined
      widths ??= widthsOf([heading, ...rows, ...(page.length < pageSize ? [] : [[' '.repeat(maxWidth)]])])
      await out.write(`${out.list(heading, rows, { widths, isFirst })}\n`)
    }
    count += page.length
  }
  if (out.json) await out.write(']}\n')
  else if (count === 0) out.note(`No ${name}.`)
}
