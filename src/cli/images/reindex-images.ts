import { openImages } from '../../api/image-parts.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import { parseKey } from '../../images/names.ts'
import { closing } from '../../lib/closing.ts'
import { counted } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { table } from '../output.ts'
import { configOf, explained, isMissing, noStore, silentLog } from './image-store.ts'
import { readHidden } from './read-hidden.ts'

/** Runs the service's periodic refresh now. The service may be using the same catalogue. */
export async function reindexImages(cli: Cli): Promise<void> {
  const config = configOf(cli, 'fail')
  const kinds = [...config.imageKinds]
  const { before, after } = await explained(config, async () => {
    if (isMissing(config)) throw noStore(config)
    prepareDataDir(config.DATA_DIR)
    const images = await openImages(config, { clock: cli.clock, log: silentLog(cli), mayReplace: false })
    await using _ = closing(images)
    const counts = () => kinds.map((kind) => images.catalogue.count(kind))
    const before = counts()
    await images.pool.refresh()
    for (const name of (await readHidden(cli)) ?? []) {
      const image = parseKey(config.imageKinds, name)
      if (image) images.catalogue.remove(image.kind, image.filename)
    }
    return { before, after: counts() }
  })
  const shown = kinds.map((kind, index) => ({ kind, before: before[index] ?? 0, after: after[index] ?? 0 }))
  const changed = shown.filter((each) => each.before !== each.after).length
  const rows = [
    ['KIND', 'BEFORE', 'AFTER'],
    ...shown.map((each) => [each.kind, String(each.before), String(each.after)]),
  ]
  const said = changed === 0 ? 'No counts changed.' : `Counts changed for ${counted(changed, 'kind')}.`
  await cli.out.print({ kinds: shown }, `${table(rows)}\n${said}`)
}
