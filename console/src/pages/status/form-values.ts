/* What the forms of the page have in common. */

/** The time in a `datetime-local`, which is in the browser's time zone; nothing if it is empty. */
export const timeIn = <const Name extends string>(form: FormData, name: Name): { readonly [_ in Name]?: string } => {
  const text = String(form.get(name) ?? '')
  return (text === '' ? {} : { [name]: new Date(text).toISOString() }) as { readonly [_ in Name]?: string }
}

export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
