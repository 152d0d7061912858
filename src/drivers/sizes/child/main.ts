import { setPriority } from 'node:os'
import { type Answer, frameReader, headOf, type Job } from '../frames.ts'

/*
 * What runs in a process of process.ts: resizes one image after another, all of which come through standard input. It
 * has no environment, opens no file but its own program, and ends with its input, and thereby with its parent.
 */

/** Before any other thread starts, which has the priority of the one that started it. */
const lowPriority = 10

function answer(given: Answer, bytes: Buffer | null = null): void {
  process.stdout.write(headOf(given))
  if (bytes !== null) process.stdout.write(bytes)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ')

async function main(): Promise<void> {
  // A service manager may refuse it.
  try {
    setPriority(lowPriority)
  } catch {}
  // A terminal and a service manager signal the whole group. The parent decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.stdin.on('end', () => process.exit())
  const recipe = await import('./recipe.ts')
  recipe.prepare()
  const read = frameReader(async (job: Job, image) => {
    try {
      const bytes = await recipe.resize(image, job)
      answer({ is: 'result', length: bytes.length }, bytes)
    } catch (error) {
      const isOfFormat = error instanceof recipe.WrongFormat
      const lasting = isOfFormat
        ? 'for this format'
        : /memory/i.test(messageOf(error))
          ? 'for a while'
          : 'for this version'
      answer({ is: 'refused', message: messageOf(error), lasting, length: 0 })
    }
  })
  process.stdin.on('data', read)
  answer({ is: 'ready', length: 0 })
}

main().catch((error) => {
  answer({ is: 'unusable', message: messageOf(error), length: 0 })
  process.exit()
})
