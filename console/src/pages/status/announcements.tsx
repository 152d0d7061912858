import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'
import { AnnounceDialog } from './announce-dialog.tsx'
import { PeriodList } from './period-list.tsx'

export function Announcements({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [isAnnouncing, setIsAnnouncing] = useState(false)
  const list = useQuery({
    queryKey: ['status', 'announcements'],
    queryFn: ({ signal }) => client.status.announcements.list({ signal }),
  })
  return (
    <section>
      <header className="section-head">
        <h2>Announcements</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setIsAnnouncing(true)}>
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
          />
        )}
      </Loaded>
      {isAnnouncing && <AnnounceDialog onClose={() => setIsAnnouncing(false)} />}
    </section>
  )
}
