import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ImageDescriptor, ImageDetails } from '../../../../client/src/client.ts'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { imagePath } from '../../parts/image-path.ts'
import { Menu } from '../../parts/menu.tsx'
import { Picture } from '../../parts/picture.tsx'
import { sizeText } from '../../parts/size.ts'
import { Time } from '../../parts/time.tsx'
import { EditDetails } from './edit-details.tsx'
import { ReportImage } from './report-image.tsx'
import type { Act } from './selection.tsx'

interface Props {
  readonly image: ImageDescriptor
  /** Known only to administrators, who may read the audit log. */
  readonly bucket: string | null
  readonly isAdmin: boolean
  readonly isModerator: boolean
  readonly onAct: (act: Act) => void
  readonly onSaved: (details: ImageDetails) => void
  readonly onClose: () => void
}

export function ImageDialog({ image, bucket, isAdmin, isModerator, onAct, onSaved, onClose }: Props) {
  const { name, url, size, width, height, mime, animated, lastModified, etag } = image
  const { title, artist, source, license, tags = [] } = image
  const [form, setForm] = useState<'details' | 'report' | null>(null)
  const filename = name.slice(name.indexOf('/') + 1)
  const alt = image.alt ?? filename.replace(/\.\w+$/, '')
  const sides = width && height ? ` width="${width}" height="${height}"` : ''
  return (
    <Dialog title={name} isOpen onClose={onClose}>
      <div className="dialog-picture">
        <Picture image={image} alt={alt} view="dialog" />
      </div>
      {form === 'report' && <ReportImage name={name} onDone={() => setForm(null)} />}
      {form === 'details' && (
        <EditDetails
          image={image}
          onSaved={(details) => {
            setForm(null)
            onSaved(details)
          }}
          onBack={() => setForm(null)}
        />
      )}
      {form === null && (
        <div className="actions">
          {isAdmin && (
            <button type="button" className="button" onClick={() => setForm('details')}>
              Edit details
            </button>
          )}
          <button type="button" className="button" onClick={() => setForm('report')}>
            Report
          </button>
          <a className="button" href={imagePath(name, etag)} download={filename}>
            Download
          </a>
          {isModerator && (
            <button type="button" className="button" onClick={() => onAct('hide')}>
              Hide
            </button>
          )}
          {isAdmin && (
            <Menu
              label="More acts"
              items={[
                { label: 'Move to another kind', run: () => onAct('move') },
                { label: 'Delete', isFinal: true, run: () => onAct('delete') },
              ]}
            >
              More
            </Menu>
          )}
        </div>
      )}
      <dl className="facts">
        <Fact term="Size">
          {sizeText(size)}
          {width && height && `, ${width} × ${height} px`}
        </Fact>
        {mime && (
          <Fact term="Type">
            {mime}
            {animated && ', animated'}
          </Fact>
        )}
        <Fact term="Stored">
          <Time at={lastModified} />
        </Fact>
        {image.alt && <Fact term="Alternative text">{image.alt}</Fact>}
        {title && <Fact term="Title">{title}</Fact>}
        {artist && <Fact term="Artist">{artist}</Fact>}
        {source && (
          <Fact term="Source">
            <a href={source} target="_blank" rel="noreferrer">
              {source}
            </a>
          </Fact>
        )}
        {license && <Fact term="License">{license}</Fact>}
        {tags.length > 0 && <Fact term="Tags">{tags.join(', ')}</Fact>}
        <Fact term="ETag">
          <code>{etag}</code>
        </Fact>
        {bucket !== null && (
          <Fact term="History">
            <Link to="/audit" search={{ target: `${bucket}/${name}` }}>
              Audit events
            </Link>
          </Fact>
        )}
      </dl>
      <CopyField label="Link" text={url} />
      <CopyField label="Markdown" text={`![${alt.replace(/[\\[\]]/g, '\\$&')}](${url})`} />
      <CopyField label="HTML" text={`<img src="${url}" alt="${asAttribute(alt)}"${sides}>`} />
    </Dialog>
  )
}

const asAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
)
