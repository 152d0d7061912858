import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { roles } from '../../../../src/accounts/roles.ts'
import { Pager, useCursorPages } from '../../parts/cursor-pages.tsx'
import { Select } from '../../parts/field.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useSession } from '../../session/session.ts'
import { ChooseColumns, useColumns } from './columns.tsx'
import { ExportUsers } from './export-users.tsx'
import { readUserSearch } from './search.ts'
import { UserTable } from './user-table.tsx'

const route = getRouteApi('/users')
const pageSize = 50

export function UserList() {
  const { client } = useSession()
  const search = readUserSearch(route.useSearch())
  const navigate = useNavigate()
  const pages = useCursorPages()
  const columns = useColumns()
  const { q, role, banned, sort = '-createdAt' } = search
  const { cursor } = pages
  const terms = { q: q?.trim(), role, banned: banned && banned === 'true' }
  const users = useQuery({
    queryKey: ['users', search, cursor],
    queryFn: ({ signal }) => firstPage(client.admin.dashboard({ ...terms, sort, limit: pageSize, cursor, signal })),
    placeholderData: keepPreviousData,
  })
  const change = (changes: object) =>
    void navigate({ to: '/users', search: readUserSearch({ ...search, ...changes }), replace: true })

  return (
    <>
      <search className="filters">
        <SearchField label="Search" value={q ?? ''} onChange={(text) => change({ q: text })} />
        <Select
          label="Role"
          value={role ?? ''}
          options={[['', 'All'], ...roles.map((each) => [each, each] as const)]}
          onChange={(event) => change({ role: event.currentTarget.value })}
        />
        <Select
          label="Banned"
          value={banned ?? ''}
          options={[
            ['', 'All'],
            ['true', 'Banned'],
            ['false', 'Not banned'],
          ]}
          onChange={(event) => change({ banned: event.currentTarget.value })}
        />
      </search>
      <ChooseColumns {...columns} />
      <Loaded query={users} name="users" isEmpty={({ users }) => users.length === 0} empty="No user matches.">
        {({ users: rows }) => (
          <UserTable users={rows} columns={columns.shown} sort={sort} onSort={(wanted) => change({ sort: wanted })} />
        )}
      </Loaded>
      <Pager pages={pages} next={users.data?.next} isBusy={users.isPlaceholderData} />
      <ExportUsers terms={terms} />
    </>
  )
}
