import { randomBytes } from 'node:crypto'
import { opendir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../data-dir.ts'
import { isOwnerGone, ownName } from '../process-gone.ts'
import { codeOf, createFile, ignoring, versionAt } from './files.ts'
import type { MetadataStore, ObjectPlace } from './metadata.ts'
import { shortHash } from './record-names.ts'

const hourMs = 3_600_000

/** Its name tells its process and its object; no part contains a tilde. */
export async function makeTemporary(folder: string, { bucket, name }: ObjectPlace) {
  const parts = [ownName(), randomBytes(8).toString('hex'), bucket, shortHash(name)]
  const path = join(folder, parts.join('~'))
  const file = await createFile(path).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    makeFolder(folder)
    return createFile(path)
  })
  return { path, file }
}

/** Removes the temporary files of dead processes and their records; others may be writing here. */
export async function sweepTemporary(folder: string, metadata: MetadataStore, now = Date.now()): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const [host, pid, startedAt, , bucket, nameHash, ...more] = entry.name.split('~')
    if (!host || !startedAt || !bucket || !nameHash || more.length > 0) continue
    const path = join(folder, entry.name)
    const version = await versionAt(path)
    if (version === null) continue
    const isOld = now - Number(version.mtimeNs / 1_000_000n) > hourMs
    if (!isOld && !isOwnerGone([host, pid, startedAt].join('~'))) continue
    await metadata.dropUnused(bucket, nameHash, version)
    await ignoring(unlink(path))
  }
}
