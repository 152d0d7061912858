import { readConfig } from '../../config/config.ts'
import { readDatabaseStatus } from '../../drivers/accounts/open-database.ts'
import type { Kind } from '../../images/kinds.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { failureOf } from '../failure.ts'
import { pageSize, writeList } from '../list.ts'
import { type OpenImages, type ServedObject, servedObjects, withStore } from './image-store.ts'

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

/** Null, with a note, if the database cannot be read: the store can be listed all the same. */
async function readHidden(cli: Cli): Promise<ReadonlySet<string> | null> {
  try {
    const { state } = await readDatabaseStatus(readConfig(cli.env), { deep: false, now: cli.clock.now() })
    if (state === 'missing' || state === 'empty') return new Set()
    return await withAccounts(cli, { mayMake: false }, async ({ hiddenImages }) => new Set(await hiddenImages.hidden()))
  } catch (error) {
    cli.out.note(`It is not known which images are hidden. ${failureOf(error).message}`)
    return null
  }
}

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
