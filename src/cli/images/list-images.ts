import type { Kind } from '../../images/kinds.ts'
import { isoTime } from '../../lib/timestamps.ts'
import type { Cli } from '../cli-context.ts'
import { pageSize, writeList } from '../list.ts'
import { type OpenImages, type ServedObject, servedObjects, withStore } from './image-store.ts'
import { readHidden } from './read-hidden.ts'

interface ListOptions {
  readonly kind?: Kind
  readonly limit?: number
}

export const listImages = (cli: Cli, options: ListOptions): Promise<void> =>
  withStore(cli, 'fail', async (images) => {
    const hidden = await readHidden(cli)
    const isHidden = (name: string) => hidden?.has(name) ?? null
    await writeList(cli.out, {
      name: 'images',
      pages: pagesOf(images, options),
      heading: ['NAME', 'BYTES', 'MODIFIED', 'ETAG', 'HIDDEN'],
      rowOf: ({ name, size, modified, etag }) => [name, String(size), isoTime(modified), etag, cellOf(isHidden(name))],
      shown({ kind, name, size, modified, etag }) {
        return { kind, name, bytes: size, modified: isoTime(modified), etag, hidden: isHidden(name) }
      },
    })
  })

const cellOf = (isHidden: boolean | null) => (isHidden === null ? '?' : isHidden ? 'yes' : '-')

async function* pagesOf(images: OpenImages, { kind, limit = Infinity }: ListOptions): AsyncGenerator<ServedObject[]> {
  let page: ServedObject[] = []
  let left = limit
  for await (const object of servedObjects(images, kind)) {
    page.push(object)
    left--
    if (left === 0) break
    if (page.length < pageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
