import { choice, flag, optional } from '../../http/fields.ts'
import { type Directory, type ListedUser, type Order, type SortKey, sortKeys } from '../directory.ts'
import { type Role, roles } from '../roles.ts'
import { readCursor } from './cursor.ts'
import { errors } from './errors.ts'
import { defaultPageSize } from './limits.ts'
import { cursorField, limitField, type Page, pageOf } from './page.ts'

const sorts = sortKeys.flatMap((key) => [key, `-${key}`] as const)

export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly q?: string | undefined
  readonly role?: Role | undefined
  readonly banned?: boolean | undefined
  readonly sort?: (typeof sorts)[number] | undefined
}

export const pageFields = {
  limit: limitField,
  cursor: cursorField,
  q: optional({ description: 'Only usernames that contain this, case-insensitively; no character is special' }),
  role: choice(roles, errors.badRoleFilter, { description: 'Only users with this role' }),
  banned: flag(errors.badBannedFilter, { description: 'Only banned users, or only users who are not banned' }),
  sort: choice(sorts, errors.badSort, { default: 'createdAt', description: 'A leading `-` means descending' }),
}

export const asksForPage = (query: PageQuery) => Object.values(query).some((value) => value !== undefined)

/** Keyset pagination: a page continues after the last row of the one before. A `sort` that differs from the cursor's is refused. */
export async function pageOfUsers(directory: Directory, query: PageQuery): Promise<Page<ListedUser>> {
  const { limit = defaultPageSize, q: part, role, banned } = query
  const after = query.cursor === undefined ? null : readCursor(query.cursor, query.sort ? [query.sort] : sorts)
  const sort = after?.sort ?? query.sort ?? 'createdAt'
  const order = orderOf(sort)
  const found = await directory.page({ filter: { part, role, banned }, order, after, limit: limit + 1 })
  return pageOf(found, limit, (last) => ({ sort, value: sortedBy(last, order.by), id: last.id }))
}

const orderOf = (sort: string): Order => ({ by: sort.replace('-', '') as SortKey, descending: sort.startsWith('-') })

function sortedBy({ createdAt, username, requests }: ListedUser, key: SortKey): string | number {
  if (key === 'createdAt') return createdAt
  return key === 'username' ? username.toLowerCase() : (requests?.total ?? 0)
}
