import { fillIn } from '../http/envelopes.ts'
import type { Envelope, Refusal } from '../http/refusal.ts'
import { sharedTitle } from './anchors.ts'
import type { ErrorView } from './model.ts'

/** Errors that occur together on many routes: told once, and named by `label` at each of these routes. */
export interface SharedInput {
  /** Without punctuation: it is a link in the Markdown. */
  readonly label: string
  readonly errors: readonly Refusal[]
  /** Follows from the access of the route, which therefore does not name it. */
  readonly isOfAccess?: true
}

/** `envelope`: null if each route has it in its own shape. */
export type SharedError = Omit<ErrorView, 'envelope'> & { readonly envelope: Envelope | null }

export interface SharedErrors {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly errors: readonly SharedError[]
  readonly isOfAccess: boolean
}

interface WithErrors {
  readonly errors: readonly ErrorView[]
}

type Told = Pick<ErrorView, 'status' | 'message' | 'when'>

const isSame = (one: Told, other: Told) =>
  one.status === other.status && one.message === other.message && one.when === other.when

const includes = (errors: readonly Told[], wanted: Told) => errors.some((error) => isSame(error, wanted))

export function shareErrors(
  inputs: readonly SharedInput[],
  routes: readonly WithErrors[],
  texts: Readonly<Record<string, string>>,
  idOf: (heading: string) => string,
): SharedErrors[] {
  return inputs.flatMap(({ label, errors, isOfAccess = false }) => {
    const isListed = (error: ErrorView) =>
      errors.some(
        ({ status, message, when = '' }) =>
          error.status === status && error.message === fillIn(message, texts) && error.when === when,
      )
    const listed = routes.map((route) => route.errors.filter(isListed)).filter(({ length }) => length === errors.length)
    const [first] = listed
    if (!first) return []
    const all = listed.flat()
    const envelopeOf = (error: ErrorView) =>
      all.every((other) => !isSame(other, error) || other.envelope === error.envelope) ? error.envelope : null
    const title = sharedTitle(label)
    return [
      {
        id: idOf(title),
        label,
        title,
        errors: first.map((error) => ({ ...error, envelope: envelopeOf(error) })),
        isOfAccess,
      },
    ]
  })
}

/** The errors that a route lists itself, and the groups that it shares: of two that overlap, the first. */
export function ownErrors(view: WithErrors, shared: readonly SharedErrors[]) {
  let own = view.errors
  const named = shared.filter((group) => {
    const isNamed = group.errors.every((error) => includes(own, error))
    if (isNamed) own = own.filter((error) => !includes(group.errors, error))
    return isNamed
  })
  return { own, shared: named }
}
