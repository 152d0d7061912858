import { useQuery } from '@tanstack/react-query'
import { MenagerieError } from '../../../../client/src/client.ts'
import { useSession } from '../../session/session.ts'
import { readersText, type Shown } from './readers-text.ts'

/** The components that the public page shows; null if there is no such page. */
export function useShown() {
  const { client } = useSession()
  return useQuery({
    queryKey: ['status', 'page'],
    queryFn: async ({ signal }): Promise<Shown> => {
      try {
        return (await client.status.page({ signal })).components.map(({ id }) => id)
      } catch (error) {
        if (error instanceof MenagerieError && error.status === 404) return null
        throw error
      }
    },
    staleTime: 60_000,
  })
}

/** For messages as well; empty as long as it is not known. */
export function useReaders(): (components: readonly string[]) => string {
  const { data, error } = useShown()
  return (components) => {
    if (data !== undefined) return readersText(data, components)
    return error ? 'It is unknown whether the status page shows it.' : ''
  }
}

export const Readers = ({ components }: { readonly components: readonly string[] }) => (
  <p className="note" role="status">
    {useReaders()(components)}
  </p>
)
