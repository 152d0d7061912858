import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'
import { AnnounceDialog, type Announcement } from './announce-dialog.tsx'
import { PeriodList } from './period-list.tsx'

export function Announcements({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  /** What the form replaces, or null if it makes another. */
  const [form, setForm] = useState<{ readonly replaced: Announcement | null } | null>(null)
  const list = useQuery({
    queryKey: ['status', 'announcements'],
    queryFn: ({ signal }) => client.status.announcements.list({ signal }),
  })
  return (
    <section>
      <header className="section-head">
        <h2>Announcements</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setForm({ replaced: null })}>
            New announcement
          </button>
        )}
      </header>
      <Loaded query={list} name="announcements" isEmpty={({ announcements }) => announcements.length === 0}>
        {({ announcements }) => (
          <PeriodList
            periods={announcements}
            noun="announcement"
            mayAct={mayAct}
            end={(id) => client.status.announcements.end(id)}
            change={(replaced) => setForm({ replaced })}
            changeLabel="Replace"
          />
        )}
      </Loaded>
      {form !== null && <AnnounceDialog {...form} onClose={() => setForm(null)} />}
    </section>
  )
}
