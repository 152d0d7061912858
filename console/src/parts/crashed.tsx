import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Failure } from './failure.tsx'
import { Page } from './page.tsx'

export const NotFound = () => (
  <Page title="Page not found">
    <p>There is no such page.</p>
  </Page>
)

/** Shown for a bug in the console, or for a file of it that cannot be loaded. */
export function Crashed({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Page title="Something went wrong">
      <Failure error={error} onRetry={() => void router.invalidate()} />
    </Page>
  )
}
