import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { freeBuffer } from '../../../lib/free-buffer.ts'
import { type Answer, frameReader, headOf, type Job } from '../frames.ts'

/*
 * What runs in a process of process.ts: resizes one image after another, all of which come through standard input. It
 * has no environment, opens no file but its own program, and ends with its input, and thereby with its parent.
 */

/** A busy service gets 28 times the CPU. Set before any other thread starts, which has the priority of its creator. */
const lowPriority = 15
const bufferBytes = 262_144

function answer(given: Answer, bytes: Buffer | null = null): void {
  process.stdout.write(headOf(given))
  if (bytes !== null) process.stdout.write(bytes, () => freeBuffer(bytes))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ')

/** libheif says so of its own bounds too, which a damaged file exceeds however much memory there is. */
const isLackOfMemory = (message: string) => /memory/i.test(message) && !/security limit/i.test(message)

async function main(): Promise<void> {
  // A service manager may refuse it.
  try {
    setPriority(lowPriority)
  } catch {}
  // A terminal and a service manager signal the whole group. The parent decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const recipe = await import('./recipe.ts')
  recipe.prepare()
  const read = frameReader(async (job: Job, image) => {
    try {
      const { bytes, look } = await recipe.resize(image, job)
      answer({ is: 'result', look, length: bytes.length }, bytes)
    } catch (error) {
      const isOfFormat = error instanceof recipe.WrongFormat
      const lasting = isOfFormat
        ? 'for this format'
        : isLackOfMemory(messageOf(error))
          ? 'for a while'
          : 'for this version'
      answer({ is: 'refused', message: messageOf(error), lasting, length: 0 })
    } finally {
      // The next image would be refused for the memory of this one.
      freeBuffer(image)
    }
  })
  // One buffer for all that arrives: V8 would collect others late, and an image be refused for their memory.
  const onread = {
    buffer: Buffer.allocUnsafeSlow(bufferBytes),
    callback(count: number, buffer: Uint8Array) {
      read(Buffer.from(buffer.buffer, 0, count))
      return true
    },
  }
  new Socket({ fd: 0, writable: false, onread }).on('end', () => process.exit()).on('error', () => process.exit())
  answer({ is: 'ready', length: 0 })
}

main().catch((error) => {
  answer({ is: 'unusable', message: messageOf(error), length: 0 })
  process.exit()
})
