import { statSync } from 'node:fs'

/** The files of an open database: without its WAL and the WAL index, commits do not outlive a kill. */
export const databaseFiles = (path: string) => [path, `${path}-wal`, `${path}-shm`]

/** Differs if another file has this name; null if there is none or it cannot be read. */
function fileId(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** Finds the first of these paths that no longer names the file that it names now. Ignores paths without a file. */
export function lostFile(paths: readonly string[]): () => { readonly path: string; readonly id: string | null } | null {
  const opened = paths.map((path) => [path, fileId(path)] as const).filter(([, id]) => id !== null)
  return () => {
    for (const [path, id] of opened) {
      const current = fileId(path)
      if (current !== id) return { path, id: current }
    }
    return null
  }
}
