import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileCacheFolder } from '../../scripts/prelude.cjs'
import { apiRoutes } from '../../src/api/routes.ts'
import { errorsOf } from '../../src/http/route.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { temporaryFolder } from './folder.ts'
import { nameOf } from './seen.ts'
import { processesOf, watchOver } from './watch.ts'

export interface Suite {
  readonly folder: string
  /** Ends every process that a test started. */
  kill(): void
  /** Ends what is left and removes the folder; false if the suite must fail for what it found. */
  end(how: { readonly isInterrupted: boolean; readonly isWhole: boolean }): boolean
}

const memory = '/dev/shm'

/** Everything that tests write is in one folder, which is in the environment of every process that they start. */
export function startSuite({ isInMemory }: { readonly isInMemory: boolean }): Suite {
  if (isInMemory && hasRoom(memory)) process.env.TMPDIR = memory
  const { path: folder, remove } = temporaryFolder()
  let isFine = true
  const fail = (text: string) => {
    process.stderr.write(`${text}\n`)
    isFine = false
  }
  const [states, temporary] = ['states', 'tmp'].map((name) => join(folder, name)) as [string, string]
  for (const path of [states, temporary]) mkdirSync(path)
  const seenFile = join(folder, 'seen')
  writeFileSync(seenFile, '')
  process.env.TMPDIR = temporary
  process.env.MENAGERIE_SEEN_FILE = seenFile
  // Kept between runs, and filled with src/ by `npm install`.
  process.env.NODE_COMPILE_CACHE = compileCacheFolder
  const hung: string[] = []
  const watch = watchOver(states, (line) => {
    process.stderr.write(`${line}\n`)
    hung.push(line)
  })

  return {
    folder,
    kill() {
      for (const { pid } of processesOf(folder)) end(pid)
    },
    end({ isInterrupted, isWhole }) {
      watch.stop()
      // Again, where CI keeps it.
      for (const line of hung) fail(line)
      const seen: ReadonlySet<string> = new Set(readFileSync(seenFile, 'utf8').split('\n'))
      for (const { pid, command } of processesOf(folder)) {
        if (!isInterrupted) fail(`A test left a process behind: ${command}`)
        end(pid)
      }
      const left = readdirSync(temporary)
      const contents = left.flatMap((name) => [name, ...globSync(`${name}/**/*`, { cwd: temporary }).slice(0, 5)])
      if (left.length > 0 && !isInterrupted) fail(`Tests left files behind: ${contents.join(' ')}`)
      remove()
      if (isWhole && !isInterrupted) for (const name of unseen(seen)) fail(`No test got this declared error: ${name}`)
      return isFine
    },
  }
}

function hasRoom(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > 1e9
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended meanwhile.
  }
}

/** Declared errors that no test got: they are untested. */
function unseen(seen: ReadonlySet<string>): string[] {
  const declared = apiRoutes(builtInKinds).flatMap((route) => errorsOf(route).map((error) => nameOf(route, error)))
  return [...new Set(declared)].filter((name) => !seen.has(name))
}
