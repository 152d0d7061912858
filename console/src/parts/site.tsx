import { Mark } from './mark.tsx'

/** SITE_NAME, which the service writes into the page. */
const siteName = document.querySelector<HTMLMetaElement>('meta[name="site"]')?.content ?? ''

export const titleOf = (page: string) => `${page} · ${siteName}`

export const Site = () => (
  <>
    <Mark /> <bdi>{siteName}</bdi>
  </>
)
