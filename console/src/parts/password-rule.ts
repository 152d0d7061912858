/** What a new password must be, which the service writes into the page. */
export const passwordRule = document.querySelector<HTMLMetaElement>('meta[name="password-rule"]')?.content ?? ''
