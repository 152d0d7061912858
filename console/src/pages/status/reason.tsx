const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address',
  ECONNRESET: 'the connection was closed',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'its address cannot be reached',
  ENOTFOUND: 'no host has its name',
  TIMEOUT: 'it took too long',
}

/** With the network's codes in words. */
export const reasonText = (text: string): string =>
  text.replace(/\b[A-Z_]{7,}\b/, (code) => (meanings[code] ? `${meanings[code]} (${code})` : code))

/** Why a target did not take what was sent, in its or the network's own words. */
export const Reason = ({ text }: { readonly text: string | null }) =>
  text !== null && (
    <span className="note" dir="auto">
      {' '}
      {reasonText(text)}
    </span>
  )
