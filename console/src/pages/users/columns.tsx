import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { Time } from '../../parts/time.tsx'

type Row = Schemas['DashboardUser']

export interface Column {
  readonly key: 'role' | 'state' | 'created' | 'changed' | 'total' | 'images' | 'auth' | 'admin' | 'id'
  readonly label: string
  readonly sort?: 'createdAt' | 'total'
  readonly isNumber?: boolean
  readonly cellOf: (row: Row) => ReactNode
}

const count = (key: 'total' | 'images' | 'auth' | 'admin', label: string): Column => ({
  key,
  label,
  isNumber: true,
  cellOf: (row) => row[key].toLocaleString('en'),
})

export const columns: readonly Column[] = [
  { key: 'role', label: 'Role', cellOf: ({ role }) => role },
  { key: 'state', label: 'State', cellOf: ({ banned }) => banned && <span className="badge is-bad">banned</span> },
  { key: 'created', label: 'Created', sort: 'createdAt', cellOf: ({ createdAt }) => <Time at={createdAt} /> },
  { key: 'changed', label: 'Changed', cellOf: ({ updatedAt }) => <Time at={updatedAt} /> },
  { ...count('total', 'Requests'), sort: 'total' },
  count('images', 'Image requests'),
  count('auth', 'Account requests'),
  count('admin', 'Administration requests'),
  { key: 'id', label: 'Id', cellOf: ({ id }) => <code>{id}</code> },
]

const usual: readonly Column['key'][] = ['role', 'state', 'created', 'total', 'images']
const storageKey = 'menagerie.user-columns'

function readChosen(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(storageKey) ?? 'null')
    return Array.isArray(found) ? found : usual
  } catch {
    return usual
  }
}

/** The columns that are shown, which this browser remembers. */
export function useColumns() {
  const [chosen, setChosen] = useState(readChosen)
  const toggle = (key: string) => {
    const next = chosen.includes(key) ? chosen.filter((each) => each !== key) : [...chosen, key]
    setChosen(next)
    localStorage.setItem(storageKey, JSON.stringify(next))
  }
  return { shown: columns.filter(({ key }) => chosen.includes(key)), toggle }
}

export function ChooseColumns({ shown, toggle }: ReturnType<typeof useColumns>) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="more-filters" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Columns</summary>
      {isOpen && (
        <fieldset className="choices">
          <legend className="hidden">Columns</legend>
          {columns.map((column) => (
            <label key={column.key} className="check">
              <input type="checkbox" checked={shown.includes(column)} onChange={() => toggle(column.key)} />
              {column.label}
            </label>
          ))}
        </fieldset>
      )}
    </details>
  )
}
