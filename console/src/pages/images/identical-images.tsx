import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Picture } from '../../parts/picture.tsx'
import { sizeText } from '../../parts/size.ts'
import { useService } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { DeleteImages } from './bulk-acts.tsx'

const maxShown = 50

interface Choice {
  readonly kept: ImageDescriptor
  readonly surplus: readonly ImageDescriptor[]
}

export function IdenticalImages({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const query = useQuery({
    queryKey: ['duplicates'],
    queryFn: ({ signal }) => firstPage(client.admin.duplicates({ limit: maxShown, signal })),
    staleTime: 0,
  })
  const bucket = useService({ staleTime: Number.POSITIVE_INFINITY }).data?.bucket
  const [choice, setChoice] = useState<Choice | null>(null)
  if (choice !== null && bucket !== undefined) {
    const { kept, surplus } = choice
    return (
      <DeleteImages
        images={surplus}
        kept={kept}
        bucket={bucket}
        onDone={(done) => setChoice({ kept, surplus: surplus.filter((each) => !done.includes(each)) })}
        onClose={() => setChoice(null)}
      />
    )
  }
  return (
    <Dialog
      title="Identical images"
      description={<p>Images with the same bytes. Those that a tool stored in parts are not compared.</p>}
      isOpen
      onClose={onClose}
    >
      <Loaded query={query} name="identical images" isEmpty={({ duplicates }) => duplicates.length === 0}>
        {({ duplicates, next }) => (
          <>
            <ul className="image-rows">
              {duplicates.map(({ etag, size, count, images }) => (
                <li key={etag}>
                  <div className="tile-picture">
                    <Picture image={images[0] as ImageDescriptor} alt="" view="tile" />
                  </div>
                  <div>
                    <p className="note">
                      {count.toLocaleString('en')} copies of {sizeText(size)} each
                    </p>
                    <ul>
                      {images.map((image) => (
                        <li key={image.name}>
                          <Link
                            to="/images"
                            search={{ kind: image.name.slice(0, image.name.indexOf('/')), image: image.name }}
                            onClick={onClose}
                          >
                            <bdi>{image.name}</bdi>
                          </Link>
                          {bucket !== undefined && count === images.length && (
                            <button
                              type="button"
                              className="button is-small"
                              onClick={() =>
                                setChoice({ kept: image, surplus: images.filter((each) => each !== image) })
                              }
                            >
                              Keep only this…<span className="hidden"> {image.name}</span>
                            </button>
                          )}
                        </li>
                      ))}
                    </ul>
                    {count > images.length && <p className="note">The first {images.length} are shown.</p>}
                  </div>
                </li>
              ))}
            </ul>
            {next !== null && <p className="note">The first {maxShown} groups are shown.</p>}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
