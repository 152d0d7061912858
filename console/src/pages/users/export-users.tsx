import { useEffect, useRef, useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { csvOf, type Value } from '../../parts/csv.ts'
import { firstPage } from '../../parts/first-page.ts'
import { saveFile } from '../../parts/save-file.ts'
import { showFailure } from '../../parts/toasts.tsx'
import { withPatience } from '../../session/patience.ts'
import { onRefusal } from '../../session/queries.ts'
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

type Query = NonNullable<Parameters<ReturnType<typeof useSession>['client']['admin']['dashboard']>[0]>
type Terms = Omit<Query, 'signal' | 'sort' | 'limit' | 'cursor'>

/** All users that match, whatever page and columns are shown. */
export function ExportUsers({ terms }: { readonly terms: Terms }) {
  const { client } = useSession()
  const [done, setDone] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function readAll(signal: AbortSignal): Promise<Value[][]> {
    const rows: Value[][] = [[...fields]]
    // A user whose requests are counted meanwhile would move in a list by requests, and be missed or read twice.
    const query = { ...terms, sort: 'createdAt', limit: perPage, signal } as const
    for (let cursor: string | undefined; ; ) {
      const page = { ...query, cursor }
      const { users, next } = await withPatience(() => firstPage(client.admin.dashboard(page)), signal)
      for (const user of users) rows.push(fields.map((field) => user[field]))
      setDone(rows.length - 1)
      if (!next) return rows
      cursor = next
    }
  }

  async function run(): Promise<void> {
    const abort = new AbortController()
    running.current = abort
    setDone(0)
    try {
      const rows = await readAll(abort.signal)
      if (abort.signal.aborted) return
      saveFile(new Blob([csvOf(rows)], { type: 'text/csv' }), 'users.csv')
      setDone(null)
    } catch (error) {
      if (abort.signal.aborted) return
      setDone(null)
      showFailure(error)
      await onRefusal(error)
    }
  }

  function stop(): void {
    running.current?.abort()
    setDone(null)
  }

  return (
    <div className="actions is-below">
      <ActButton isBusy={done !== null} onClick={() => void run()}>
        {done === null ? 'Export as CSV' : `Exporting: ${done.toLocaleString('en')}`}
      </ActButton>
      {done !== null && (
        <button type="button" className="button" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  )
}
