import { setTimeout as delay } from 'node:timers/promises'
import type { Call, Sender } from '../http/call.ts'
import { choice, fields, flagAs, optional, parsed, type ReadBy, wholeNumber } from '../http/fields.ts'
import type { Headers } from '../http/headers.ts'
import { ClientGone } from '../http/json-body.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { JsonResponse, TextResponse } from '../http/responses.ts'
import { oneOf } from '../http/schema.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Catalogue } from './catalogue.ts'
import { type Choice, choose, type Random, seeded } from './choose.ts'
import { type BaseUrl, describeAsJson, describeImage, urlOf } from './descriptor.ts'
import { describeAll } from './details/describe.ts'
import type { KnownDetails } from './details/known-details.ts'
import { errors, maxCount } from './errors.ts'
import { filterOf } from './filter.ts'
import { filterFields, metaField } from './filter-fields.ts'
import type { Kind, Kinds } from './kinds.ts'
import { periodOf, periods } from './period.ts'
import type { AskedPeriod, PeriodImages } from './period-images.ts'
import type { Pool } from './pool.ts'
import type { Walker } from './positions.ts'
import { type Chosen, type RandomBytesDeps, serveRandom } from './random-bytes.ts'
import { isCompiled, type Selection, whenCompiled } from './selection.ts'
import { caller, remainingHeaders, remainingLine } from './served.ts'
import type { ShapeReader } from './shapes/shape-reader.ts'
import type { Looks } from './sizes/looks.ts'
import { type Size, sizeFields } from './sizes/size.ts'
import type { Sizes } from './sizes/sizes.ts'
import type { Drawn, Unseen } from './unseen.ts'

export interface RandomDeps extends RandomBytesDeps {
  readonly details: Pick<KnownDetails, 'find' | 'sourceOf'>
  readonly looks: Pick<Looks, 'find'>
  readonly pool: Pick<Pool, 'ready'>
  readonly random: Random
  readonly unseen: Pick<Unseen, 'draw'>
  readonly periodImages: Pick<PeriodImages, 'choose'>
  readonly shapes: Pick<ShapeReader, 'isBusy'>
  readonly sizes: Pick<Sizes, 'sizeOf'> | null
}

/** How often, and how many times, a choice is tried again while headers are being read: for two seconds. */
const askEveryMs = 250
const maxAsked = 8

export const seedField = optional({
  description: 'The same seed gives the same choice as long as the images stay the same',
})

const ofAny = (hasSizes: boolean) => ({
  count: wholeNumber(errors.badCount, {
    minimum: 1,
    maximum: maxCount,
    description: 'The number of distinct images, in an `images` array; all images if there are fewer',
  }),
  seed: seedField,
  as: choice(['json', 'redirect', 'bytes', 'text'], errors.badAs, {
    description: 'The description (the default), a redirect to the image, the image itself, or its URL',
  }),
  repeat: flagAs(
    oneOf(['yes', 'no'], {
      description:
        '`no`: every image of a kind once before any is repeated, in a different order for each user. The header `X-Images-Remaining` says how many are left',
    }),
    errors.badRepeat,
  ),
  per: choice(periods, errors.badPer, {
    description:
      'The same image for everybody until the next hour, day or week (from Monday); none comes again until all others were shown',
  }),
  // Checked only with `per`: alone it means nothing.
  tz: optional({
    description: 'With `per`: the time zone in which days begin at midnight; UTC by default',
    examples: ['Europe/Berlin'],
  }),
  ...filterFields,
  meta: metaField,
  ...sizeFields(hasSizes),
})

export const randomFields = (hasSizes: boolean) => fields(ofAny(hasSizes))
export const randomOfKindsFields = (kinds: Kinds, hasSizes: boolean) =>
  fields({
    kinds: parsed((text) => readKinds(kinds, text), {
      invalid: errors.badKinds,
      description: 'Comma-separated; every image of these kinds is equally likely. All kinds by default',
      examples: ['fox,bird'],
    }),
    ...ofAny(hasSizes),
  })

export function readKinds(kinds: Kinds, text: string): readonly Kind[] | undefined {
  const names = new Set(text.split(',').map((name) => name.trim()))
  return names.isSubsetOf(kinds) ? [...names] : undefined
}

/** What to answer if nothing can be chosen: there are no images, or the filters match none. */
export interface NoImages {
  readonly found: Refusal
  readonly match: Refusal
}

type ChoosingCall = Call<Sender | null, unknown, Partial<Pick<RandomCall['query'], 'count' | 'seed'>>>
type User = Sender & { readonly user: { readonly id: string } }
type RandomCall = Call<User, unknown, ReadBy<ReturnType<typeof randomFields>>>

/** A random image of these kinds. Synchronous for the most frequent request. */
export function showRandom(
  deps: RandomDeps,
  call: RandomCall,
  of: readonly Kind[],
  none: NoImages,
): MaybePromise<unknown> {
  return whenKnown(deps, of, () => answer(deps, call, of, none))
}

/** After the very first start, waits for the first pages of these kinds; one kind with images is enough. */
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

function answer(deps: RandomDeps, call: RandomCall, of: readonly Kind[], none: NoImages): MaybePromise<unknown> {
  const { count, as = 'json', seed, repeat, meta } = call.query
  if (count !== undefined && (as === 'redirect' || as === 'bytes')) refuse(errors.onlyOne)
  const period = periodOf(call.query)
  if (period !== null && (seed !== undefined || count !== undefined || repeat !== undefined)) refuse(errors.perAlone)
  if (seed !== undefined && repeat === false) refuse(errors.seededRepeat)
  const { id: userId } = call.actor.user
  const order = period !== null ? { ...period, userId } : repeat === false ? { userId, linkId: null } : null
  const size = deps.sizes?.sizeOf(call.query) ?? null
  return chooseFor(deps, call, { of, filter: filterOf(call.query) }, order, (chosen) => {
    const { choices, remaining } = chosen
    const [first = refuseNone(deps, of, none)] = choices
    const headers = () => remainingHeaders(remaining)
    switch (as) {
      case 'json':
        if (count === undefined && meta !== true && size === null)
          return describeAsJson(deps.baseUrl, first, remainingLine(remaining))
        return chain(describe(deps, choices, meta === true, size), (images) => {
          const body = count === undefined ? images[0] : { status: 200, images }
          return new JsonResponse(200, body, headers())
        })
      case 'text':
        return new TextResponse(
          200,
          textType,
          choices.map((each) => `${urlOf(deps.baseUrl, each, size)}\n`).join(''),
          headers(),
        )
      case 'redirect':
        return redirectTo(deps.baseUrl, first, size, headers())
      case 'bytes':
        return serveRandom(deps, call, of, first, chosen, caller, size)
    }
  })
}

function refuseNone({ catalogue }: Pick<RandomDeps, 'catalogue'>, of: readonly Kind[], none: NoImages): never {
  const isEmpty = of.every((kind) => catalogue.count(kind) === 0)
  return refuse(isEmpty ? none.found : none.match, {}, { KIND: of[0] ?? '' })
}

const describe = (deps: RandomDeps, choices: readonly Choice[], hasMeta: boolean, size: Size | null) =>
  hasMeta ? describeAll(deps, choices, size) : choices.map((each) => describeImage(deps.baseUrl, each, size))

export const textType = 'text/plain; charset=utf-8'

export function redirectTo(baseUrl: BaseUrl, choice: Choice, size: Size | null, headers: Headers = {}): TextResponse {
  const url = urlOf(baseUrl, choice, size)
  return new TextResponse(302, textType, `${url}\n`, { ...headers, Location: url })
}

/** Images that a walker has not seen yet, the image of a period, or any. */
type Order = Walker | AskedPeriod | null

/** Chooses what the query asks for. */
export function chooseFor<T>(
  deps: RandomDeps,
  call: ChoosingCall,
  selection: Selection,
  order: Order,
  act: (chosen: Chosen) => MaybePromise<T>,
): MaybePromise<T> {
  const go = (chosen: Chosen) =>
    chosen.choices.length > 0 || !isBeingRead(deps, selection)
      ? act(chosen)
      : onceRead(deps, call, selection, order).then(act)
  const drawn = draw(deps, call, selection, order)
  return chain(drawn, go)
}

/** Whether images may match soon: with a filter, those whose headers are being read. */
const isBeingRead = ({ catalogue, shapes }: RandomDeps, { of, filter }: Selection) =>
  filter !== null &&
  filter.shape !== null &&
  shapes.isBusy &&
  of.some((kind) => catalogue.unread(kind, '', 1).length > 0)

async function onceRead(deps: RandomDeps, call: ChoosingCall, selection: Selection, order: Order): Promise<Chosen> {
  const { sleep = (ms, signal) => delay(ms, undefined, { signal }) } = deps
  for (let asked = 0; asked < maxAsked; asked++) {
    await sleep(askEveryMs, call.signal).catch(() => {
      throw new ClientGone()
    })
    const chosen = await draw(deps, call, selection, order)
    if (chosen.choices.length > 0 || !isBeingRead(deps, selection)) return chosen
  }
  return refuse(errors.stillReading)
}

function draw(deps: RandomDeps, call: ChoosingCall, selection: Selection, order: Order): MaybePromise<Chosen> {
  const { catalogue, unseen, periodImages, random: unseeded } = deps
  const { count = 1, seed } = call.query
  const { of, filter } = selection
  if (order !== null && 'per' in order) {
    const others = () => periodImages.choose(order, selection)
    const go = (choices: readonly Choice[]) => ({ choices, remaining: null, filter, random: null, others })
    return chain(others(), go)
  }
  if (order !== null) {
    const isPeek = call.req.method === 'HEAD'
    const drawn = unseen.draw(order, selection, count, unseeded, isPeek)
    const others = async () => (await unseen.draw(order, selection, 1, unseeded, isPeek)).choices
    const go = ({ choices, remaining }: Drawn) => ({ choices, remaining, filter, random: unseeded, others })
    return chain(drawn, go)
  }
  const random = seed === undefined ? unseeded : seeded(seed)
  const others = (size: number) => whenCompiled(catalogue, selection, () => choose(catalogue, of, size, random, filter))
  return whenCompiled(catalogue, selection, () => {
    const isOne = count === 1 && seed === undefined && of.length === 1
    const choices = isOne ? pick(catalogue, selection) : choose(catalogue, of, count, random, filter)
    // Another process may have changed a kind.
    if (choices.length === 0 && !isCompiled(catalogue, selection)) return draw(deps, call, selection, order)
    return { choices, remaining: null, filter, random, others }
  })
}

function pick(catalogue: Catalogue, { of: [kind], filter }: Selection): readonly Choice[] {
  const entry = kind === undefined ? null : catalogue.pick(kind, filter)
  return kind === undefined || entry === null ? [] : [{ kind, entry }]
}
