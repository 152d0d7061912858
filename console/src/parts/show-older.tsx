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
    <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      Show older
    </button>
  )
