import { type Client, MenagerieError } from '../../../client/src/client.ts'
import { firstPage } from './first-page.ts'

interface Batch {
  readonly ids: Set<string>
  readonly names: Promise<ReadonlyMap<string, string>>
}

/** The most that the service accepts per request. */
const maxIds = 100
let batch: Batch | null = null

function openBatch({ admin }: Client): Batch {
  const ids = new Set<string>()
  const names = new Promise<void>((resolve) => setTimeout(resolve)).then(async () => {
    if (batch?.ids === ids) batch = null
    const { users } = await firstPage(admin.users({ ids: [...ids].join(','), limit: maxIds }))
    return new Map(Object.values(users).map(({ user }) => [user.id, user.username]))
  })
  return { ids, names }
}

/** Null if there is no such user. Calls in the same turn share one request. */
export async function nameOf(client: Client, id: string): Promise<string | null> {
  if (!batch || batch.ids.size === maxIds) batch = openBatch(client)
  batch.ids.add(id)
  return (await batch.names).get(id) ?? null
}

/** The same for those who may find users, but not list them. */
export async function foundNameOf({ admin }: Client, id: string): Promise<string | null> {
  try {
    return (await admin.findUser({ userId: id })).user.username
  } catch (error) {
    if (error instanceof MenagerieError && error.status === 404) return null
    throw error
  }
}
