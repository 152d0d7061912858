import { protocolErrors } from '../../http/errors.ts'
import { type Fields, fields, flag, refusing } from '../../http/fields.ts'
import { errors } from './errors.ts'

export interface DryRun {
  readonly dryRun?: boolean | undefined
}

const word = 'dryrun'
/** One letter wrong or missing, or two neighbours swapped; the last pattern allows extra letters. */
const misspellings = [...word].flatMap((letter, at) => {
  const [before, after] = [word.slice(0, at), word.slice(at + 1)]
  return [`${before}[a-z]?${after}`, `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`]
})
const misspelled = new RegExp(`^(?:${misspellings.join('|')}|${[...word].join('[a-z]?')})$`)

/** `dry_run`, `DRYRUN`, `dryRum` and the like: the client means a dry run and must not trigger the act instead. */
function resemblesDryRun(name: string): boolean {
  const letters = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
  return letters.includes(word) || letters === 'dry' || misspelled.test(letters)
}

const dryRun = {
  ...flag(errors.badDryRun, {
    default: false,
    description: 'Performs every check and replies with `dryRun: true`, but changes nothing',
  }),
  isUnanimous: true,
}

export const dryRunQuery: Fields<DryRun> = refusing(
  { refusal: errors.likeDryRun, isStray: resemblesDryRun },
  fields({ dryRun }),
)

/** The body of a route that offers dry runs. */
export const withoutDryRun = <T>(body: Fields<T>): Fields<T> =>
  refusing({ refusal: errors.dryRunInBody, isStray: resemblesDryRun }, body)

/** The fields of an act for good that offers no dry run. */
export const neverDry = <T>(spec: Fields<T>): Fields<T> =>
  refusing({ refusal: protocolErrors.unknownParameter, isStray: resemblesDryRun }, spec)
