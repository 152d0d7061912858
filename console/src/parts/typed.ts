/** Not chosen, and nothing that a search or a password is. */
const texts = ['text', 'textarea', 'url', 'number', 'email', 'datetime-local']

/** The fields of a form in which something was typed. What was there before may be changed elsewhere meanwhile. */
export const typedIn = (form: HTMLElement) =>
  [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].filter(
    ({ type, value, defaultValue }) => texts.includes(type) && value !== defaultValue,
  )
