/* Times in forms. */

/** The time in a `datetime-local`, which is in the browser's time zone; nothing if it is empty. */
export const timeIn = <const Name extends string>(form: FormData, name: Name): { readonly [_ in Name]?: string } => {
  const text = String(form.get(name) ?? '')
  return (text === '' ? {} : { [name]: new Date(text).toISOString() }) as { readonly [_ in Name]?: string }
}

/** As a `datetime-local` has it, to the minute. */
export const fieldTime = (ms: number) =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** So that a typed year has four digits, and the hour comes next. */
export const lastTime = '9999-12-31T23:59'

/** The hint of a time in a form. */
export const inTimeZone = () => `In your time zone, ${timeZone()}.`

export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
