import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../../client/src/client.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import type { Column } from './columns.tsx'
import { RowMenu } from './row-menu.tsx'
import type { Sort } from './search.ts'
import { useUserActs } from './use-user-acts.tsx'

interface Props {
  readonly users: readonly Schemas['DashboardUser'][]
  readonly columns: readonly Column[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

export function UserTable({ users, columns, sort, onSort }: Props) {
  const acts = useUserActs()
  const heads = { sort, onSort }
  return (
    <>
      <TableFrame label="Users" isWide={columns.length > 5}>
        <thead>
          <tr>
            <SortHead by="username" {...heads}>
              Username
            </SortHead>
            {columns.map(({ key, label, sort, isNumber }) =>
              sort ? (
                <SortHead key={key} by={sort} isDescendingFirst {...(isNumber && { isNumber })} {...heads}>
                  {label}
                </SortHead>
              ) : (
                <th key={key} scope="col" {...classOf(key, isNumber)}>
                  {label}
                </th>
              ),
            )}
            <th scope="col" className="is-menu">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <th scope="row" className="is-name">
                <Link to="/users/$userId" params={{ userId: user.id }}>
                  <bdi>{user.username}</bdi>
                </Link>
              </th>
              {columns.map(({ key, isNumber, cellOf }) => (
                <td key={key} {...classOf(key, isNumber)}>
                  {cellOf(user)}
                </td>
              ))}
              <td className="is-menu">
                <RowMenu user={user} acts={acts} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {acts.dialogs}
    </>
  )
}

/** The images are counted among the requests. */
function classOf(key: Column['key'], isNumber = false) {
  if (key === 'id') return { className: 'is-id' }
  return isNumber && { className: key === 'images' ? 'is-number is-optional' : 'is-number' }
}

interface SortHeadProps extends Pick<Props, 'sort' | 'onSort'> {
  readonly by: 'username' | 'createdAt' | 'total'
  readonly isDescendingFirst?: boolean
  readonly isNumber?: boolean
  readonly children: string
}

function SortHead({ by, isDescendingFirst = false, isNumber = false, children, sort, onSort }: SortHeadProps) {
  const isSorted = sort === by || sort === `-${by}`
  const isDescending = sort === `-${by}`
  const next: Sort = isSorted ? (isDescending ? by : `-${by}`) : isDescendingFirst ? `-${by}` : by
  return (
    <th
      scope="col"
      {...(isNumber && { className: 'is-number' })}
      {...(isSorted && { 'aria-sort': isDescending ? 'descending' : 'ascending' })}
    >
      <button type="button" className="sort-button" onClick={() => onSort(next)}>
        {children}
        <span aria-hidden="true">{isSorted ? (isDescending ? '↓' : '↑') : '↕'}</span>
      </button>
    </th>
  )
}
