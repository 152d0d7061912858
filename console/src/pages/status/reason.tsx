/** Why a target did not take what was sent, in its or the network's own words. */
export const Reason = ({ text }: { readonly text: string | null }) =>
  text !== null && (
    <span className="note" dir="auto">
      {' '}
      {text}
    </span>
  )
