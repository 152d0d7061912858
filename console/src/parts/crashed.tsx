import { Failure } from './failure.tsx'
import { Page } from './page.tsx'

export const NotFound = () => (
  <Page title="Page not found">
    <p>This address of the console leads nowhere. The navigation lists what there is.</p>
  </Page>
)

/** A defect of the console, or a file that a newer version has replaced. */
export const Crashed = ({ error }: { readonly error: unknown }) => (
  <Page title="Something went wrong">
    <Failure error={error} onRetry={() => location.reload()} />
  </Page>
)
