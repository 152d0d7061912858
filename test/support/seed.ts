import fc from 'fast-check'
import { sized } from './size.ts'

const given = process.env.TEST_SEED || undefined
if (given !== undefined && !Number.isInteger(Number(given))) throw new Error(`TEST_SEED: ${given} is not an integer`)

/** `TEST_SEED`, or else these. The title of a randomised test says the seed. */
export const seedsOr = (...own: readonly number[]): readonly number[] => (given === undefined ? own : [Number(given)])
export const seedOr = (own: number): number => (given === undefined ? own : Number(given))

/** `fc.assert` with `TEST_SEED`, or else a new seed each time; a failure names it. */
export const assertProperty = ((property: fc.IRawProperty<unknown>, parameters: fc.Parameters<unknown> = {}) => {
  const full = parameters.numRuns ?? 100
  const numRuns = sized(Math.ceil(full / 10), full)
  return fc.assert(property, { ...parameters, numRuns, ...(given !== undefined && { seed: Number(given) }) })
}) as typeof fc.assert

/** Like the unit 'binary' of fast-check, which takes 2 s to list them all. */
export const anyCodePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code))
  .filter((text) => text.isWellFormed())
