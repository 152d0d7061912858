import { useState } from 'react'
import { Time } from '../parts/time.tsx'
import { useSessionOrNull } from '../session/session.ts'
import { agreeToUpload, cancelUploads, clearFinishedUploads, retryFailedUploads, skipUploads } from './queue.ts'
import { byUrgency, isFinished, isIn, isUnderWay, mayRetry, progressOf, useUploads } from './store.ts'
import type { Upload } from './upload.ts'
import { UploadRow } from './upload-row.tsx'

/** Max rows shown; the queue may have thousands. */
const maxShown = 100

/** Replacing images has a button of its own, since it cannot be undone, and so has a better name, which harms nothing. */
function agreements(asking: readonly Upload[]) {
  const overwriting = asking.filter(({ question }) => question?.stored !== undefined)
  const renamed = asking.filter(({ question }) => question?.betterName !== undefined)
  const others = asking.filter((each) => !overwriting.includes(each) && !renamed.includes(each))
  const isAll = others.length === asking.length
  return [
    { uploads: renamed, label: `Upload ${renamed.length} under the new ${renamed.length === 1 ? 'name' : 'names'}` },
    { uploads: overwriting, label: `Overwrite ${overwriting.length} ${overwriting.length === 1 ? 'image' : 'images'}` },
    {
      uploads: others,
      label: isAll ? 'Upload all anyway' : `Upload the other${others.length === 1 ? '' : ` ${others.length}`} anyway`,
    },
  ].filter(({ uploads }) => uploads.length > 0)
}

/** The queue, on every page. */
export function Uploads() {
  const { list, pause } = useUploads()
  const session = useSessionOrNull()
  const [isOpen, setIsOpen] = useState(true)
  if (list.length === 0 || session === null) return null
  const [busy, asking, failed] = [list.filter(isUnderWay), list.filter(isIn('asking')), list.filter(isIn('failed'))]
  const stored = list.filter(isIn('done')).length
  const progress = Math.floor(progressOf(list) * 100)
  return (
    <section className="uploads" aria-labelledby="uploads-title">
      <header>
        <h2 id="uploads-title">Uploads</h2>
        <p className="note" role="status">
          {stored} of {list.length} stored
          {failed.length > 0 && `, ${failed.length} failed`}
          {asking.length > 0 && `, ${asking.length} ${asking.length === 1 ? 'needs' : 'need'} a decision`}
        </p>
        <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
          <span className="hidden"> the files</span>
        </button>
      </header>
      {busy.length > 0 && <progress aria-label="All uploads" max={100} value={progress} />}
      {busy.length > 0 && pause !== null && (
        <p className="notice" role="status">
          {pause.text.replace(/\.?$/, '.')} The queue waits, and goes on by itself
          {pause.until !== null && (
            <>
              {' '}
              <Time at={new Date(pause.until).toISOString()} />
            </>
          )}
          .
        </p>
      )}
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        <section className="upload-list" aria-label="Files" tabIndex={0}>
          <ul>
            {byUrgency(list)
              .slice(0, maxShown)
              .map((upload) => (
                <UploadRow key={upload.id} upload={upload} />
              ))}
          </ul>
          {list.length > maxShown && <p className="note">And {list.length - maxShown} more.</p>}
        </section>
      )}
      <div className="actions">
        {failed.some(mayRetry) && (
          <button type="button" className="button is-main" onClick={retryFailedUploads}>
            Retry all failed
          </button>
        )}
        {asking.length > 1 && (
          <>
            {agreements(asking).map(({ uploads, label }) => (
              <button type="button" className="button" key={label} onClick={() => uploads.forEach(agreeToUpload)}>
                {label}
              </button>
            ))}
            <button type="button" className="button" onClick={skipUploads}>
              Skip all
            </button>
          </>
        )}
        {busy.length > 0 && (
          <button type="button" className="button" onClick={cancelUploads}>
            Cancel all
          </button>
        )}
        {list.some(isFinished) && (
          <button type="button" className="button" onClick={clearFinishedUploads}>
            Clear finished
          </button>
        )}
      </div>
    </section>
  )
}
