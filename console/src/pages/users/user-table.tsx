import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../../client/src/client.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { RowMenu } from './row-menu.tsx'
import type { Sort } from './search.ts'
import { useUserActs } from './use-user-acts.tsx'

interface Props {
  readonly users: readonly Schemas['DashboardUser'][]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

export function UserTable({ users, sort, onSort }: Props) {
  const acts = useUserActs()
  const heads = { sort, onSort }
  return (
    <>
      <TableFrame label="Users">
        <thead>
          <tr>
            <SortHead by="username" {...heads}>
              Username
            </SortHead>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <SortHead by="createdAt" isDescendingFirst {...heads}>
              Created
            </SortHead>
            <SortHead by="total" isDescendingFirst isNumber {...heads}>
              Requests
            </SortHead>
            <th scope="col" className="is-number is-optional">
              Images
            </th>
            <th scope="col">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map(({ id, username, role, banned, createdAt, total, images }) => (
            <tr key={id}>
              <th scope="row" className="is-name">
                <Link to="/users/$userId" params={{ userId: id }}>
                  <bdi>{username}</bdi>
                </Link>
              </th>
              <td>{role}</td>
              <td>{banned && <span className="badge is-bad">banned</span>}</td>
              <td>
                <Time at={createdAt} />
              </td>
              <td className="is-number">{total.toLocaleString('en')}</td>
              <td className="is-number is-optional">{images.toLocaleString('en')}</td>
              <td>
                <RowMenu user={{ id, username, role, banned }} acts={acts} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {acts.dialogs}
    </>
  )
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
