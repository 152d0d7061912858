import { cliOrigin } from '../../accounts/audit.ts'
import { readChange } from '../../images/details/detail-fields.ts'
import { type DetailName, detailNames, setDetails } from '../../images/details/details.ts'
import type { DetailsChange, DetailsStore } from '../../images/details/details-store.ts'
import { imageActOf } from '../../images/image-act.ts'
import type { Kind } from '../../images/kinds.ts'
import { keyOf, parseKey } from '../../images/names.ts'
import { batches } from '../../lib/batches.ts'
import { withAccounts } from '../accounts.ts'
import { counted } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed, WrongUsage } from '../failure.ts'
import { quoted } from '../output.ts'
import { type DetailsFile, type FailedRow, splitTags } from './details-file.ts'
import { servedObjects, withStore } from './image-store.ts'

type DescribeOptions = { readonly [Name in DetailName]?: string }

const actIn = (bucket: string) => imageActOf(bucket, cliOrigin, () => {})

/** Describes all of them, or none if one does not exist. */
export async function describeImages(cli: Cli, given: readonly string[], options: DescribeOptions): Promise<void> {
  const { tags, ...texts } = options
  if (Object.keys(options).length === 0)
    throw new WrongUsage(
      `Nothing to change; pass at least one of ${detailNames.map((name) => `--${name}`).join(', ')}.`,
    )
  const values = readChange({
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text === '' ? null : text])),
    ...(tags !== undefined && { tags: splitTags(tags) }),
  })
  const names = [...new Set(given)]
  await withAccounts(cli, { mayMake: true }, ({ imageDetails }) =>
    withStore(cli, 'fail', async ({ store, bucket, config }) => {
      for (const name of names) {
        const head = parseKey(config.imageKinds, name) && (await store.head({ bucket, name }))
        if (!head) throw new Failed(`No image ${quoted(name)}; nothing was changed. See images list.`)
      }
      const changed = await imageDetails.change(
        actIn(bucket),
        names.map((name) => ({ name, values })),
      )
      const images = changed.map(({ name, details }) => ({ name, ...setDetails(details) }))
      const count = changed.filter(({ isChanged }) => isChanged).length
      await cli.out.print({ changed: count, images }, `Changed the details of ${counted(count, 'image')}.`)
    }),
  )
}

export interface DescribeReport {
  readonly described: number
  readonly unchanged: number
  readonly failed: readonly FailedRow[]
}

/** For a dry run: only what cannot be read is known. */
export const planned = ({ failed }: DetailsFile): DescribeReport => ({ described: 0, unchanged: 0, failed })

/** Images per transaction. */
const batchSize = 200

/** Rows of other kinds are left out. `keys`: the names that files of this run got in the store. */
export async function describeRows(
  cli: Cli,
  { rows, failed: bad }: DetailsFile,
  {
    kind,
    keys,
    signal,
  }: { readonly kind: Kind; readonly keys: ReadonlyMap<string, string>; readonly signal: AbortSignal },
): Promise<DescribeReport> {
  const keyed = rows.map((row) => ({
    ...row,
    key: keys.get(row.name) ?? (row.name.includes('/') ? row.name : keyOf(kind, row.name)),
  }))
  const own = keyed.filter(({ key }) => key.startsWith(keyOf(kind, '')))
  const count = { described: 0, unchanged: 0 }
  const failed: FailedRow[] = [...bad]
  await withAccounts(cli, { mayMake: true }, ({ imageDetails }) =>
    withStore(cli, 'make', async (images) => {
      const wanted = new Set(own.map(({ key }) => key))
      const found = new Set<string>()
      for await (const { name } of servedObjects(images, kind, signal)) if (wanted.has(name)) found.add(name)
      const changes: DetailsChange[] = []
      for (const { row, name, key, values } of own) {
        const isFirst = wanted.delete(key)
        if (isFirst && found.has(key)) changes.push({ name: key, values })
        else
          failed.push({ row, name, reason: isFirst ? 'there is no such image' : 'an earlier row is about this image' })
      }
      await changeAll(imageDetails, images.bucket, changes, count, signal)
    }),
  )
  return { ...count, failed: failed.sort((one, other) => one.row - other.row) }
}

async function changeAll(
  store: DetailsStore,
  bucket: string,
  changes: readonly DetailsChange[],
  count: { described: number; unchanged: number },
  signal: AbortSignal,
): Promise<void> {
  for (const some of batches(changes, batchSize)) {
    if (signal.aborted) return
    for (const { isChanged } of await store.change(actIn(bucket), some)) count[isChanged ? 'described' : 'unchanged']++
  }
}
