import { InvalidArgumentError } from 'commander'

/** For an option: a whole number from 1. */
export const wholeNumberUpTo = (max: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new InvalidArgumentError(
      `Expected a whole number from 1${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}.`,
    )
  return value
}
