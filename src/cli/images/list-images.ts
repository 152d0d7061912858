import type { Kind } from '../../images/kinds.ts'
import { isoTime } from '../../lib/timestamps.ts'
import type { Cli } from '../cli-context.ts'
import { table, widthsOf } from '../output.ts'
import { type ServedObject, servedObjects, withStore } from './image-store.ts'

export interface ListOptions {
  readonly kind?: Kind
  readonly limit?: number
}

const atATime = 500
const heading = ['NAME', 'BYTES', 'MODIFIED', 'ETAG']

/** Written as it is read, so that a million images need no more memory than a page of them. */
export async function listImages(cli: Cli, { kind, limit = Number.POSITIVE_INFINITY }: ListOptions): Promise<void> {
  const { out } = cli
  await withStore(cli, 'fail', async (images) => {
    let count = 0
    let page: ServedObject[] = []
    let widths: number[] | undefined
    const write = async () => {
      if (out.json) {
        const documents = page.map((object, index) => `${count + index ? ',' : ''}\n${JSON.stringify(shown(object))}`)
        await out.write(documents.join(''))
      } else if (page.length > 0) {
        const rows = page.map(rowOf)
        const head = widths ? [] : [heading]
        widths ??= widthsOf([heading, ...rows])
        await out.write(`${table([...head, ...rows], widths)}\n`)
      }
      count += page.length
      page = []
    }
    if (out.json) await out.write('{"images":[')
    for await (const object of servedObjects(images, kind)) {
      page.push(object)
      const isLast = count + page.length >= limit
      if (page.length >= atATime || isLast) await write()
      if (isLast) break
    }
    await write()
    if (out.json) await out.write(']}\n')
    else if (count === 0) out.note('No image.')
  })
}

const shown = ({ kind, name, size, modified, etag }: ServedObject) => ({
  kind,
  name,
  bytes: size,
  modified: isoTime(modified),
  etag,
})

const rowOf = ({ name, size, modified, etag }: ServedObject) => [name, String(size), isoTime(modified), etag]
