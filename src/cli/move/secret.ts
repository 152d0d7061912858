import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { readOrMakeSecret, secretName } from '../../drivers/accounts/jwt-secret.ts'

export interface SecretReport {
  /** Whether tokens and embed links stay valid; null if unknown. */
  readonly areTokensKept: boolean | null
  readonly text: string
}

/** Copies the secret that signs tokens, unless the target already has one. */
export function moveSecret(from: Config, to: Config): SecretReport {
  const [source, target] = [from, to].map((place) => secretOf(place))
  const file = join(to.DATA_DIR, secretName)
  if (!source) {
    const text = to.JWT_SECRET
      ? `${join(from.DATA_DIR, secretName)} does not exist: tokens stay valid if the service ran with this JWT_SECRET before.`
      : `There is no secret to move: the next start generates ${file}, and earlier tokens and embed links end.`
    return { areTokensKept: to.JWT_SECRET ? null : false, text }
  }
  if (target && target.text !== source.text) return ended(source, target)
  // The file does not keep surrounding white space.
  if (!target && source.text.trim() !== source.text) return ended(source, null)
  if (!target) readOrMakeSecret(to.DATA_DIR, source.text)
  const others = to.JWT_SECRET === null && to.DATABASE_URL !== null
  const hint = others ? ` Give other instances the same secret: JWT_SECRET_FILE=${file}.` : ''
  const where = to.JWT_SECRET === null ? file : 'JWT_SECRET'
  return { areTokensKept: true, text: `Tokens and embed links stay valid: ${where} has the same secret.${hint}` }
}

interface Secret {
  readonly text: string
  readonly where: string
}

function secretOf({ JWT_SECRET, DATA_DIR }: Config): Secret | null {
  if (JWT_SECRET !== null) return { text: JWT_SECRET, where: 'JWT_SECRET' }
  const where = join(DATA_DIR, secretName)
  return existsSync(where) ? { text: readOrMakeSecret(DATA_DIR).secret, where } : null
}

function ended(source: Secret, target: Secret | null): SecretReport {
  const why =
    target === null
      ? 'JWT_SECRET begins or ends with white space, which a file cannot keep'
      : `${target.where} is another secret than ${source.where}`
  const how =
    source.where === 'JWT_SECRET' ? 'leave JWT_SECRET set' : `set JWT_SECRET_FILE=${source.where} instead of JWT_SECRET`
  return { areTokensKept: false, text: `All tokens and embed links end: ${why}. To keep them, ${how}.` }
}
