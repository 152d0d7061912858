import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { timeFile } from './times.ts'

/** Runs these files one after another, except those that another shard has taken: all shards end together. */
export async function runShard(paths: readonly string[], taken: string): Promise<void> {
  for (const [index, path] of paths.entries()) {
    if (!take(join(taken, String(index)))) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    describe(path, async () => {
      timeFile(path)
      after(() => resolve())
      await import(pathToFileURL(path).href)
    })
    await promise
  }
}

function take(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
