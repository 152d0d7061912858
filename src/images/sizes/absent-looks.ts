import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../../lib/timestamps.ts'
import type { Catalogue } from '../catalogue.ts'
import { parseKey } from '../names.ts'
import type { ImageParts } from '../parts.ts'
import { type Looks, maxUndecodable } from './looks.ts'

interface Deps extends Pick<ImageParts, 'kinds' | 'clock' | 'log'> {
  readonly looks: Pick<Looks, 'names' | 'remove' | 'undecodable' | 'removeUndecodable'>
}

const batchSize = 500

/**
 * Removes what is known of the decoding of images that others have deleted or replaced, once a day: what is removed
 * wrongly costs no more than being found again.
 */
export class AbsentLooks {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #removing: Promise<void> = Promise.resolve()
  #nextAt: number

  constructor(deps: Deps) {
    this.#deps = deps
    this.#nextAt = deps.clock.monotonic()
  }

  /** A listing of all kinds is complete, and this is what it found. Never throws. */
  listed(catalogue: Catalogue): void {
    const { clock, log } = this.#deps
    if (clock.monotonic() < this.#nextAt) return
    this.#nextAt = clock.monotonic() + dayMs
    this.#removing = this.#remove(catalogue).catch((error) => {
      // The next listing tries again.
      this.#nextAt = clock.monotonic()
      if (!this.#closing.signal.aborted)
        log.warn({ err: error }, 'could not remove what is known of the decoding of images that are gone')
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#removing
  }

  async #remove(catalogue: Catalogue): Promise<void> {
    const { looks, kinds } = this.#deps
    const find = (name: string) => {
      const image = parseKey(kinds, name)
      return image && catalogue.find(image.kind, image.filename)
    }
    for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
      this.#closing.signal.throwIfAborted()
      const names = await looks.names(after, batchSize)
      const gone = names.filter((name) => find(name) === null)
      if (gone.length > 0) await looks.remove(gone)
      after = names.at(-1)
    }
    const undecodable = await looks.undecodable(maxUndecodable)
    const past = undecodable.filter(({ name, etag }) => find(name)?.etag !== etag).map(({ name }) => name)
    if (past.length > 0) await looks.removeUndecodable(past)
  }
}
