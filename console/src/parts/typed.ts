/** Not chosen, and nothing that a search or a password is. */
const texts = ['text', 'textarea', 'url', 'number', 'email', 'datetime-local']

/** Gives a field another value of its own, unless something was typed. The new default is React's to set. */
export function suggest(field: HTMLInputElement | null, value: string): void {
  if (field && field.value === field.defaultValue) field.value = value
}

/** The fields of a form in which something was typed. What was there before may be changed elsewhere meanwhile. */
export const typedIn = (form: HTMLElement) =>
  [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].filter(
    ({ type, value, defaultValue }) => texts.includes(type) && value !== defaultValue,
  )
