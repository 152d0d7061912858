import { ActButton } from './act-button.tsx'

interface Props {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

/** Loads the next page of a newest-first list. */
export const ShowOlder = ({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: Props) =>
  hasNextPage && (
    <p className="older">
      <ActButton isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show older
      </ActButton>
    </p>
  )
