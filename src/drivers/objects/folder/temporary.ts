import { randomBytes } from 'node:crypto'
import { mkdir, opendir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectRef } from '../../../images/object-store.ts'
import { isOwnerGone, ownName } from '../process-gone.ts'
import { codeOf, createFile, ignoring, versionAt } from './files.ts'
import type { MetadataStore } from './metadata.ts'
import { shortHash } from './record-names.ts'

const hourMs = 3_600_000
/** The block size of most file systems: fewer bytes might fit into an inode. */
const proofBytes = 4_096

/** The name tells the process and the object; no part contains a tilde. */
export async function makeTemporary(folder: string, { bucket, name }: ObjectRef) {
  const parts = [ownName(), randomBytes(8).toString('hex'), bucket, shortHash(name)]
  const path = join(folder, parts.join('~'))
  const file = await createFile(path).catch(async (error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    // Not recursive: if the parent was taken away, no empty one replaces it.
    await mkdir(folder, { mode: 0o700 }).catch((failed) => {
      if (codeOf(failed) !== 'EEXIST') throw failed
    })
    return createFile(path)
  })
  return { path, file }
}

/** Writes a small file and removes it. */
export async function proveRoom(folder: string, bucket: string): Promise<void> {
  const { path, file } = await makeTemporary(folder, { bucket, name: '' })
  try {
    await file.writeFile(Buffer.alloc(proofBytes))
    await file.sync()
  } finally {
    await ignoring(file.close())
    await ignoring(unlink(path))
  }
}

/** Removes the temporary files of dead processes and their records; live processes may be writing here. */
export async function sweepTemporary(folder: string, metadata: MetadataStore): Promise<void> {
  const now = Date.now()
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
