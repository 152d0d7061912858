import { useState } from 'react'
import { csvOf, type Value } from '../../parts/csv.ts'
import { saveFile } from '../../parts/save-file.ts'
import { showFailure } from '../../parts/toasts.tsx'
import { useSession } from '../../session/session.ts'

const fields = [
  'id',
  'username',
  'role',
  'banned',
  'createdAt',
  'updatedAt',
  'total',
  'images',
  'auth',
  'admin',
] as const
const perPage = 500

type Terms = Omit<NonNullable<Parameters<ReturnType<typeof useSession>['client']['admin']['dashboard']>[0]>, 'signal'>

/** All users that match, whatever page and columns are shown. */
export function ExportUsers({ terms }: { readonly terms: Terms }) {
  const { client } = useSession()
  const [done, setDone] = useState<number | null>(null)

  async function run(): Promise<void> {
    setDone(0)
    try {
      const rows: Value[][] = [[...fields]]
      for await (const { users } of client.admin.dashboard({ ...terms, limit: perPage }).pages()) {
        for (const user of users) rows.push(fields.map((field) => user[field]))
        setDone(rows.length - 1)
      }
      saveFile(new Blob([csvOf(rows)], { type: 'text/csv' }), 'users.csv')
    } catch (error) {
      showFailure(error)
    } finally {
      setDone(null)
    }
  }

  return (
    <button
      type="button"
      className="button"
      aria-busy={done !== null}
      disabled={done !== null}
      onClick={() => void run()}
    >
      {done === null ? 'Export as CSV' : `Exporting: ${done.toLocaleString('en')}`}
    </button>
  )
}
