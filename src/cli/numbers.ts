import { InvalidArgumentError } from 'commander'

/** Parser for an option. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new InvalidArgumentError(
      `Expected a whole number from ${min}${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}.`,
    )
  return value
}

export const wholeNumberUpTo = (max: number) => wholeNumber(1, max)
