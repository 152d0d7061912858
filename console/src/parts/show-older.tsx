import { ActButton } from './act-button.tsx'

interface Props {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

/** The next page of a list that begins with the newest. */
export const ShowOlder = ({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: Props) =>
  hasNextPage && (
    <ActButton isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      Show older
    </ActButton>
  )
