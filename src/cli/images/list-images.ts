import type { Kind } from '../../images/kinds.ts'
import { isoTime } from '../../lib/timestamps.ts'
import type { Cli } from '../cli-context.ts'
import { pageSize, writeList } from '../list.ts'
import { type OpenImages, type ServedObject, servedObjects, withStore } from './image-store.ts'

interface ListOptions {
  readonly kind?: Kind
  readonly limit?: number
}

export const listImages = (cli: Cli, options: ListOptions): Promise<void> =>
  withStore(cli, 'fail', (images) =>
    writeList(cli.out, {
      name: 'images',
      pages: pagesOf(images, options),
      heading: ['NAME', 'BYTES', 'MODIFIED', 'ETAG'],
      rowOf: ({ name, size, modified, etag }) => [name, String(size), isoTime(modified), etag],
      shown: ({ kind, name, size, modified, etag }) => {
        return { kind, name, bytes: size, modified: isoTime(modified), etag }
      },
    }),
  )

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
