import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seconds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})

const whole = (name: string, text: string | undefined, byDefault: number) => {
  const value = text === undefined ? byDefault : Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name}: expected a whole number, got ${text}`)
  return value
}

export const seconds = whole('seconds', values.seconds, 120)
export const seed = whole('seed', values.seed, randomInt(2 ** 31))
/** Only the routes and parts whose name has this text. */
export const only = values.only ?? ''
