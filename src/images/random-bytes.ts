import { setTimeout as delay } from 'node:timers/promises'
import type { Call } from '../http/call.ts'
import { ClientGone } from '../http/json-body.ts'
import { refuse } from '../http/refusal.ts'
import type { BytesResponse } from '../http/responses.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Choice, Random } from './choose.ts'
import { type BaseUrl, chosenKey, urlOfKey } from './descriptor.ts'
import type { KnownDetails } from './details/known-details.ts'
import { errors } from './errors.ts'
import type { Filter } from './filter.ts'
import type { Kind } from './kinds.ts'
import type { ImageParts } from './parts.ts'
import { type ImageProxy, logMiss, Miss } from './proxy.ts'
import { type Audience, told } from './served.ts'
import type { Size } from './sizes/size.ts'

export interface RandomBytesDeps extends Pick<ImageParts, 'catalogue' | 'log'> {
  readonly proxy: ImageProxy
  readonly baseUrl: BaseUrl
  readonly details: Pick<KnownDetails, 'sourceOf'>
  /** Rejects when aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** What was chosen for a request. */
export interface Chosen {
  readonly choices: readonly Choice[]
  /** How many images the caller has not seen; null unless it asked for them. */
  readonly remaining: number | null
  readonly filter: Filter | null
  /** Null if nothing else will do while the store cannot be reached. */
  readonly random: Random | null
  /** Chooses replacements for this many images: at least one that differs from all the others, if there is one. */
  readonly others: (count: number) => MaybePromise<readonly Choice[]>
}

const maxRedrawMs = 2_000
const backoffMs = 25

/** Serves the chosen image or, if it cannot be served, another one of these kinds. */
export function serveRandom(
  deps: RandomBytesDeps,
  call: Call,
  of: readonly Kind[],
  choice: Choice,
  chosen: Chosen,
  toWhom: Audience,
  size: Size | null,
): MaybePromise<BytesResponse> {
  const audience = told(toWhom, chosen.remaining, {
    urlOf: (key, size) => urlOfKey(deps.baseUrl, key, size),
    sourceOf: (key) => deps.details.sourceOf(key),
  })
  const outcome = deps.proxy.attempt(call, chosenKey(choice), audience, size)
  if (!isPromise(outcome)) return outcome
  return outcome.then((found) =>
    found instanceof Miss ? redraw(deps, call, of, { choice, miss: found }, chosen, { audience, size }) : found,
  )
}

async function redraw(
  { catalogue, proxy, log, sleep = (ms, signal) => delay(ms, undefined, { signal }) }: RandomBytesDeps,
  call: Call,
  of: readonly Kind[],
  first: { readonly choice: Choice; readonly miss: Miss },
  { filter, random, others }: Chosen,
  { audience, size }: { readonly audience: Audience; readonly size: Size | null },
): Promise<BytesResponse> {
  logMiss(log, call, chosenKey(first.choice), first.miss)
  const over = new AbortController()
  const late = new AbortController()
  sleep(maxRedrawMs, over.signal).then(
    () => late.abort(),
    () => {},
  )
  const signal = AbortSignal.any([call.signal, late.signal])
  const tried = new Set<string>()
  let failures = 0
  try {
    for (let { choice, miss } = first; ; ) {
      // If the store fails, an image in memory is tried first, as stored. The cache does not know whether it matches a
      // filter.
      const cached =
        miss.reason === null || random === null || filter !== null || size !== null
          ? null
          : await proxy.serveCached(call, of, random, audience)
      if (cached) return cached
      if (miss.reason !== null && failures++ > 0)
        await sleep((random ?? Math.random)() * backoffMs * 2 ** failures, signal).catch(() => {})
      // A missing image is no longer in the catalogue.
      if (catalogue.find(choice.kind, choice.entry.filename) !== null) tried.add(chosenKey(choice))
      let next: Choice | undefined
      // A walk advances image by image: the end of a round may bring back images that were already tried.
      for (let turn = 0; turn <= 2 * tried.size && next === undefined; turn++)
        next = (await others(tried.size + 1)).find((each) => !tried.has(chosenKey(each)))
      if (call.res.destroyed) throw new ClientGone()
      if (next === undefined || signal.aborted) return refuse(errors.imageNotFound)
      choice = next
      const outcome = await proxy.attempt(call, chosenKey(choice), audience, size, signal)
      if (!(outcome instanceof Miss)) return outcome
      miss = outcome
    }
  } finally {
    over.abort()
  }
}
