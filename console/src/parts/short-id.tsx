const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isId = (text: string) => idPattern.test(text)

/** Only its beginning is seen; a selection copies the whole, and hovering shows it. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <span className="short-id" title={id}>
    {id}
  </span>
)
