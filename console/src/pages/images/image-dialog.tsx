import { type ReactNode, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Picture } from '../../parts/picture.tsx'
import { sizeText } from '../../parts/size.ts'
import { Time } from '../../parts/time.tsx'
import { ReportImage } from './report-image.tsx'

interface Props {
  readonly image: ImageDescriptor
  /** Null for users who may not delete. */
  readonly onDelete: (() => void) | null
  readonly onClose: () => void
}

export function ImageDialog({ image, onDelete, onClose }: Props) {
  const { name, url, size, width, height, mime, animated, lastModified, etag } = image
  const [isReporting, setIsReporting] = useState(false)
  const alt = name.slice(name.indexOf('/') + 1).replace(/\.\w+$/, '')
  const sides = width && height ? ` width="${width}" height="${height}"` : ''
  return (
    <Dialog title={name} isOpen onClose={onClose}>
      <div className="dialog-picture">
        <Picture image={image} alt={alt} />
      </div>
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
        <Fact term="ETag">
          <code>{etag}</code>
        </Fact>
      </dl>
      <CopyField label="Link" text={url} />
      <CopyField label="Markdown" text={`![${alt}](${url})`} />
      <CopyField label="HTML" text={`<img src="${url}" alt="${alt}"${sides}>`} />
      {isReporting ? (
        <ReportImage name={name} onDone={() => setIsReporting(false)} />
      ) : (
        <div className="actions">
          <button type="button" className="button" onClick={() => setIsReporting(true)}>
            Report
          </button>
          {onDelete && (
            <button type="button" className="button is-danger" onClick={onDelete}>
              Delete
            </button>
          )}
        </div>
      )}
    </Dialog>
  )
}

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
)
