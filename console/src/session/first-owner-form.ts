/* What the form of the first owner checks before it sends an attempt, of which only some are allowed. */

/** As the log shows it: no letter or digit that looks like another. */
const codeForm = /^[a-km-np-z2-9]{16}$/

/** The code as it was meant; null if it cannot be one. */
export function codeIn(text: string): string | null {
  const code = text.trim().toLowerCase()
  return codeForm.test(code) ? code : null
}

/** Whether the service would accept it by its rule, which names the least number of characters and the most bytes. */
export function fitsRule(password: string, rule: string): boolean {
  const [least = 0, most = Number.POSITIVE_INFINITY] = (rule.match(/\d+/g) ?? []).map(Number)
  return [...password].length >= least && new TextEncoder().encode(password).length <= most
}
