import { type Fields, fields, flag, refusing } from '../../http/fields.ts'
import { errors } from './errors.ts'

export interface DryRun {
  readonly dryRun?: boolean | undefined
}

/** `dry_run`, `DRYRUN`, `dryRun ` and the like: whoever sends one means a dry run, and must not get the act instead. */
function resemblesDryRun(name: string): boolean {
  const letters = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
  return letters.includes('dryrun') || letters === 'dry'
}

const dryRun = {
  ...flag(errors.badDryRun, {
    default: false,
    description: 'Answers what the act would, with `dryRun: true`, and changes nothing',
  }),
  isUnanimous: true,
}

export const dryRunQuery: Fields<DryRun> = refusing(
  { refusal: errors.likeDryRun, isStray: resemblesDryRun },
  fields({ dryRun }),
)

/** The body of a route that takes dry runs. */
export const withoutDryRun = <T>(body: Fields<T>): Fields<T> =>
  refusing({ refusal: errors.dryRunInBody, isStray: resemblesDryRun }, body)
