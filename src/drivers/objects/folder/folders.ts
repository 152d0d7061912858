import { lstat, mkdir, opendir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NoSuchBucket } from '../../../images/store-errors.ts'
import { createLru } from '../../../lib/lru.ts'
import { codeOf, isRealFolder, orNull, syncFolder } from './files.ts'
import type { ObjectPath } from './metadata.ts'

const maxRemembered = 1_000

/** The folders of keys within their buckets, which are in `root`. */
export function createFolders(root: string) {
  /** Folders known to be durable: another process may have created one without syncing it yet. */
  const settled = createLru<true>(maxRemembered)

  async function make(object: ObjectPath): Promise<void> {
    const { bucket, path } = object
    const top = join(root, bucket)
    const folders: string[] = []
    for (let folder = dirname(path); folder !== top; folder = dirname(folder)) folders.unshift(folder)
    try {
      if (!settled.has(top)) await settle(top)
      for (const folder of folders) if ((await makeOne(folder)) || !settled.has(folder)) await settle(folder)
    } catch (error) {
      if (!(await isRealFolder(top))) throw new NoSuchBucket(bucket)
      throw /^(EEXIST|ENOTDIR|ELOOP)$/.test(codeOf(error)) ? conflict(object, error) : error
    }
    if (await isRealFolder(dirname(path))) return
    throw (await isRealFolder(top)) ? conflict(object) : new NoSuchBucket(bucket)
  }

  async function settle(folder: string): Promise<void> {
    await syncFolder(dirname(folder))
    settled.set(folder, true)
  }

  /** Removes a folder in the object's place if it contains only folders. */
  async function clearAway(object: ObjectPath): Promise<void> {
    if (!(await orNull(lstat(object.path)))?.isDirectory()) return
    await removeEmpty(object.path).catch((error) => {
      throw codeOf(error) === 'ENOTEMPTY' ? conflict(object, error) : error
    })
  }

  return { make, clearAway }
}

export type Folders = ReturnType<typeof createFolders>

async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await orNull(lstat(folder)))?.isDirectory()) return false
    throw error
  }
}

async function removeEmpty(folder: string): Promise<void> {
  for await (const entry of await opendir(folder)) {
    if (!entry.isDirectory()) throw Object.assign(new Error('not empty'), { code: 'ENOTEMPTY' })
    await removeEmpty(join(folder, entry.name))
  }
  await rmdir(folder)
}

const conflict = ({ bucket, name }: ObjectPath, cause?: unknown) =>
  Object.assign(
    new Error(`${bucket}/${name} cannot be a file: its folder is an object, or it is the folder of other objects`, {
      cause,
    }),
    {
      code: codeOf(cause ?? {}) || 'ENOTDIR',
    },
  )
