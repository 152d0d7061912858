import type { Clock } from '../lib/clock.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { Unavailable } from '../lib/unavailable.ts'
import type { Catalogue } from './catalogue.ts'
import type { Choice, Random } from './choose.ts'
import { keyOf } from './names.ts'
import { lengthOf, type Period, periodAt } from './period.ts'
import type { PeriodImage, SavedPeriodImages } from './positions.ts'
import { inTime, type Selection } from './selection.ts'
import { drawFrom } from './unseen.ts'
import { beginning, WalkCursor, walkerOf } from './walk.ts'

/** For a program that offers no images of periods. */
export const noSavedPeriods: SavedPeriodImages = { find: () => null, save: async (next) => next }

/** With the user who asks, or whose link it is. */
export type AskedPeriod = Period & { readonly userId: string }

interface PeriodDeps {
  readonly catalogue: Catalogue
  readonly saved: SavedPeriodImages
  readonly clock: Clock
  readonly random: Random
  /** Asks the store for an image that the catalogue does not have, so that it has it afterwards, if it exists. */
  readonly lookUp: (key: string) => Promise<void>
}

/** Another instance may have saved another image meanwhile. */
const maxAttempts = 5
/** The names may change while they are read. */
const maxRounds = 10

/**
 * Chooses one image for everybody until the next period, in the order of a walk: none comes again until all others were
 * shown. Of all instances, the first one that saves its choice decides.
 */
export class PeriodImages {
  readonly #deps: PeriodDeps
  /** Single-flight: all requests that find no image of this period wait for the same choice. */
  readonly #choosing = new Map<string, Promise<readonly Choice[]>>()

  constructor(deps: PeriodDeps) {
    this.#deps = deps
  }

  /** One image, or none if none matches. Rejects with Unavailable if the database is down. */
  choose(period: AskedPeriod, selection: Selection): MaybePromise<readonly Choice[]> {
    const name = nameOf(period, selection)
    const saved = this.#deps.saved.find(name)
    const known = (found: PeriodImage | null) => {
      const choice = this.#isCurrent(found, period) ? this.#choiceOf(found) : null
      return choice ? [choice] : this.#chooseOnce(name, period, selection)
    }
    return isPromise(saved) ? saved.then(known) : known(saved)
  }

  #chooseOnce(name: string, period: AskedPeriod, selection: Selection): Promise<readonly Choice[]> {
    const key = `${periodAt(period, this.#deps.clock.now())} ${name}`
    const known = this.#choosing.get(key)
    if (known) return known
    const choosing = this.#chooseNext(name, period, selection).finally(() => this.#choosing.delete(key))
    this.#choosing.set(key, choosing)
    return choosing
  }

  async #chooseNext(name: string, period: AskedPeriod, selection: Selection): Promise<readonly Choice[]> {
    const { clock, saved } = this.#deps
    let found = await saved.find(name)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const choice = this.#isCurrent(found, period) ? await this.#present(found) : null
      if (choice) return [choice]
      const now = clock.now()
      const next = await this.#draw(name, selection, found)
      if (next === null) return []
      const { userId } = period
      found = await saved.save({ name, period: periodAt(period, now), chosenAt: now, userId, ...next }, found)
    }
    throw new Unavailable('the image of the period')
  }

  /** Also if an instance whose clock is ahead of this one's has begun the next period. */
  #isCurrent(found: PeriodImage | null, period: Period): found is PeriodImage {
    const now = periodAt(period, this.#deps.clock.now())
    return found !== null && found.period >= now && found.period <= now + lengthOf[period.per]
  }

  /** Null if the catalogue does not have it. */
  #choiceOf({ kind, filename }: Pick<PeriodImage, 'kind' | 'filename'>): Choice | null {
    const entry = this.#deps.catalogue.find(kind, filename)
    return entry && { kind, entry }
  }

  /** Null if the image has been deleted or hidden. What another instance has chosen may be new here. */
  async #present(found: PeriodImage): Promise<Choice | null> {
    const known = this.#choiceOf(found)
    if (known) return known
    await this.#deps.lookUp(keyOf(found.kind, found.filename))
    return this.#choiceOf(found)
  }

  /** The image that follows in the walk, and the positions in all kinds after it. */
  async #draw(name: string, { of, filter }: Selection, last: PeriodImage | null) {
    const { catalogue, random } = this.#deps
    const positions = new Map(last?.positions)
    for (let round = 0; round < maxRounds; round++) {
      const hashes = of.map((kind) => ({ kind, images: catalogue.hashes(kind, filter) }))
      const waits = hashes.map(({ images }) => images).filter(isPromise)
      if (waits.length > 0) {
        await Promise.all(waits.map(inTime))
        continue
      }
      const cursors = hashes.flatMap(({ kind, images }) => {
        if (isPromise(images) || images.size === 0) return []
        const at = positions.get(kind) ?? beginning
        return new WalkCursor(catalogue, { kind, images }, walkerOf(`${name} ${kind}`), at, undefined)
      })
      const drawn = drawFrom(cursors, 1, random)
      if (drawn === null) continue
      const [choice] = drawn.choices
      if (choice === undefined) return null
      for (const { kind, position } of cursors) positions.set(kind, position)
      return { kind: choice.kind, filename: choice.entry.filename, positions: [...positions] }
    }
    throw new Unavailable('the names of images')
  }
}

/** The same for everybody who asks for the same. */
const nameOf = ({ per, zone }: Period, { of, filter }: Selection) =>
  [per, zone, of.toSorted().join(','), ...(filter === null ? [] : [filter.name])].join(' ')
