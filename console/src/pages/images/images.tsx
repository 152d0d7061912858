import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { permitted } from '../../../../src/accounts/roles.ts'
import { CreateEmbedLink } from '../../parts/create-embed-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { AddFiles } from './add-files.tsx'
import { Filters } from './filters.tsx'
import { HiddenImages } from './hidden-images.tsx'
import { IdenticalImages } from './identical-images.tsx'
import { ImageGrid } from './image-grid.tsx'
import { KindTabs } from './kind-tabs.tsx'
import { Problems } from './problems.tsx'
import { SetAside } from './set-aside.tsx'
import { TestStore } from './test-store.tsx'

const route = getRouteApi('/images')

export function Images() {
  const { client, user } = useSession()
  const { image, ...search } = route.useSearch()
  const [opened, setOpened] = useState<'embed' | 'store' | 'identical' | null>(null)
  const isAdmin = permitted.administer.includes(user.role)
  const isModerator = permitted.moderate.includes(user.role)
  const kinds = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  const all = kinds.data?.kinds ?? []
  const isKind = kinds.data === undefined || all.some(({ kind }) => kind === search.kind)
  const kind = (isKind ? search.kind : undefined) ?? (all.find(({ count }) => count > 0) ?? all[0])?.kind

  return (
    <Page
      title="Images"
      actions={
        <>
          {isAdmin && kind !== undefined && <AddFiles kind={kind} />}
          <button type="button" className="button" onClick={() => setOpened('embed')}>
            Create embed link
          </button>
          {isAdmin && (
            <>
              <button type="button" className="button" onClick={() => setOpened('identical')}>
                Find identical
              </button>
              <button type="button" className="button" onClick={() => setOpened('store')}>
                Test store
              </button>
            </>
          )}
        </>
      }
    >
      {!isKind && search.kind !== undefined && (
        <p className="notice">
          There is no kind “<bdi>{search.kind}</bdi>”.
          {kind !== undefined && (
            <>
              {' '}
              This is <bdi>{kind}</bdi>.
            </>
          )}
        </p>
      )}
      <Loaded query={kinds} name="kinds" isEmpty={({ kinds }) => kinds.length === 0}>
        {({ kinds }) => <KindTabs kinds={kinds} present={kind} search={search} />}
      </Loaded>
      {kind !== undefined && (
        <section aria-labelledby="kind">
          <h2 id="kind" className="hidden" dir="auto">
            {kind}
          </h2>
          {isAdmin && (
            <p className="note">
              The setting <a href="docs#IMAGE_KINDS_EXTRA">IMAGE_KINDS_EXTRA</a> adds kinds.
            </p>
          )}
          <Filters kind={kind} search={search} />
          {isModerator && <HiddenImages />}
          {isAdmin && <SetAside />}
          {isAdmin && <Problems />}
          <ImageGrid
            key={kind}
            search={{ ...search, kind }}
            openedName={image}
            isAdmin={isAdmin}
            isModerator={isModerator}
          />
        </section>
      )}
      {opened === 'embed' && <CreateEmbedLink {...(kind !== undefined && { kind })} onClose={() => setOpened(null)} />}
      {opened === 'identical' && <IdenticalImages onClose={() => setOpened(null)} />}
      {opened === 'store' && <TestStore onClose={() => setOpened(null)} />}
    </Page>
  )
}
