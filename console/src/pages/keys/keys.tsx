import { Page } from '../../parts/page.tsx'
import { EmbedLinks } from './embed-links.tsx'
import { OwnKeys } from './own-keys.tsx'

export const Keys = () => (
  <Page title="Keys and links">
    <OwnKeys />
    <EmbedLinks />
  </Page>
)
