import type { Call, Sender } from '../http/call.ts'
import { choice, fields, optional, parsed, type ReadBy, wholeNumber } from '../http/fields.ts'
import type { Headers } from '../http/headers.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { TextResponse } from '../http/responses.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type Choice, choose, type Random, seeded } from './choose.ts'
import { type BaseUrl, describeAsJson, describeImage, urlOf } from './descriptor.ts'
import { errors, maxCount } from './errors.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Pool } from './pool.ts'
import { type RandomBytesDeps, serveRandom } from './random-bytes.ts'
import { caller } from './served.ts'

export interface RandomDeps extends RandomBytesDeps {
  readonly pool: Pick<Pool, 'ready'>
  readonly baseUrl: BaseUrl
  readonly random: Random
}

export const seedField = optional({
  description: 'The same seed gives the same choice as long as the images stay the same',
})

const ofAny = {
  count: wholeNumber(errors.badCount, {
    minimum: 1,
    maximum: maxCount,
    description: 'The number of distinct images, in an `images` array; all images if there are fewer',
  }),
  seed: seedField,
  as: choice(['json', 'redirect', 'bytes', 'text'], errors.badAs, {
    description: 'The description (the default), a redirect to the image, the image itself, or its URL',
  }),
}

export const randomFields = fields(ofAny)
export const randomOfKindsFields = (kinds: Kinds) =>
  fields({
    kinds: parsed((text) => readKinds(kinds, text), {
      invalid: errors.badKinds,
      description: 'Comma-separated; every image of these kinds is equally likely. All kinds by default',
      examples: ['fox,bird'],
    }),
    ...ofAny,
  })

function readKinds(kinds: Kinds, text: string): readonly Kind[] | undefined {
  const names = new Set(text.split(',').map((name) => name.trim()))
  return names.isSubsetOf(kinds) ? [...names] : undefined
}

type RandomCall = Call<Sender | null, unknown, ReadBy<typeof randomFields>>

/** A random image of these kinds; synchronous for the most frequent request. */
export function showRandom(
  deps: RandomDeps,
  call: RandomCall,
  of: readonly Kind[],
  none: Refusal,
): MaybePromise<unknown> {
  return whenKnown(deps, of, () => answer(deps, call, of, none))
}

/** After the first start, waits for the first pages of these kinds; one with images is enough. */
export function whenKnown<T>(
  { pool, catalogue }: Pick<RandomDeps, 'pool' | 'catalogue'>,
  of: readonly Kind[],
  act: () => MaybePromise<T>,
): MaybePromise<T> {
  const waits = of.map(pool.ready).filter((wait) => wait !== null)
  if (waits.length === 0) return act()
  return Promise.allSettled(waits).then((outcomes) => {
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed && of.every((kind) => catalogue.count(kind) === 0)) throw failed.reason
    return act()
  })
}

function answer(deps: RandomDeps, call: RandomCall, of: readonly Kind[], none: Refusal): MaybePromise<unknown> {
  const { count, as = 'json' } = call.query
  if (count !== undefined && (as === 'redirect' || as === 'bytes')) refuse(errors.onlyOne)
  const random = call.query.seed === undefined ? deps.random : seeded(call.query.seed)
  const choices = chooseFor(deps, call.query, of, random)
  const [first = refuse(none, {}, { KIND: of[0] ?? '' })] = choices
  switch (as) {
    case 'json':
      return count === undefined
        ? describeAsJson(deps.baseUrl, first)
        : { status: 200, images: choices.map((each) => describeImage(deps.baseUrl, each)) }
    case 'text':
      return new TextResponse(200, textType, choices.map((each) => `${urlOf(deps.baseUrl, each)}\n`).join(''))
    case 'redirect':
      return redirectTo(deps.baseUrl, first)
    case 'bytes':
      return serveRandom(deps, call, of, first, random, caller)
  }
}

export const textType = 'text/plain; charset=utf-8'

export function redirectTo(baseUrl: BaseUrl, choice: Choice, headers: Headers = {}): TextResponse {
  const url = urlOf(baseUrl, choice)
  return new TextResponse(302, textType, `${url}\n`, { ...headers, Location: url })
}

export function chooseFor(
  { catalogue }: Pick<RandomDeps, 'catalogue'>,
  { count = 1, seed }: Partial<RandomCall['query']>,
  of: readonly Kind[],
  random: Random,
): readonly Choice[] {
  const [kind] = of
  if (count > 1 || seed !== undefined || of.length > 1 || kind === undefined)
    return choose(catalogue, of, count, random)
  const entry = catalogue.pick(kind)
  return entry === null ? [] : [{ kind, entry }]
}
