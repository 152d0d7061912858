/** Name the servers that tests run on; scripts/services.sh prints them. */
export const testVariables = [
  'TEST_DATABASE_URL',
  'TEST_REDIS_URL',
  'TEST_S3_ENDPOINT',
  'TEST_S3_ACCESS_KEY_ID',
  'TEST_S3_SECRET_ACCESS_KEY',
  'TEST_SWIFT_ENDPOINT',
  'TEST_SWIFT_ACCESS_KEY_ID',
  'TEST_SWIFT_SECRET_ACCESS_KEY',
] as const

type Variable = (typeof testVariables)[number]

/** An empty one counts as unset. */
export const testVariable = (name: Variable): string | null => process.env[name] || null

/** Of a server; in CI, nothing may be skipped because one is missing. `skip`: for `describe`. */
export function serverOf(name: Variable): { readonly url: string | null; readonly skip: string | false } {
  const url = testVariable(name)
  if (url !== null) return { url, skip: false }
  const skip = `${name} is not set`
  if (process.env.CI) throw new Error(`${skip}, and in CI no test may be skipped for that`)
  return { url, skip }
}
