import { cliOrigin } from '../../accounts/audit.ts'
import { removeObject } from '../../images/admin/remove-object.ts'
import { counted, inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { checkObjectName, withChangeableImages } from './changeable-images.ts'

/** Deletes all of them, or none if one does not exist. */
export async function deleteImages(cli: Cli, given: readonly string[], yes: boolean): Promise<void> {
  const names = [...new Set(given)]
  names.forEach(checkObjectName)
  if (!yes) cli.ask.checkPossible()
  await withChangeableImages(cli, 'fail', async (images) => {
    const { store, bucket } = images
    const sizes: string[] = []
    for (const name of names) {
      const head = await store.head({ bucket, name })
      if (!head) throw new Failed(`No object ${quoted(name)} in the bucket ${bucket}; nothing was deleted.`)
      sizes.push(`${name} (${inBytes(head.size)})`)
    }
    if (!yes) await cli.ask.confirm(`${sizes.join('\n')}\nwill be deleted from the bucket ${bucket}.`)
    for (const name of names)
      await removeObject(images, cliOrigin, { bucketName: bucket, objectName: name, etag: undefined })
    await cli.out.print({ bucket, deleted: names }, `Deleted ${counted(names.length, 'image')}.`)
  })
}
