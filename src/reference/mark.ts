import { html } from './markup.ts'

const paw = html`<ellipse cx="5" cy="11" rx="2.2" ry="3"/><ellipse cx="10" cy="6" rx="2.2" ry="3.1"/><ellipse cx="15.5" cy="6.4" rx="2.2" ry="3.1"/><ellipse cx="19.6" cy="12" rx="2.1" ry="2.9"/><path d="M12 11.5c-3.2 0-6 3.2-6 6 0 2.300 1.700 3.500 3.600 3.500 1.200 0 1.600-.5 2.600-.5s1.500.5 2.700.5c1.800 0 3.300-1.300 3.300-3.400 0-2.900-2.900-6.100-6.200-6.100z"/>`

/** For the page, coloured by its style sheet. */
export const mark = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">${paw}</svg>`

/** For the browser's tab, light and dark. */
export const icon = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#1f9d80">${paw}</svg>`
