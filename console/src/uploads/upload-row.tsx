import { memo } from 'react'
import { textOf } from '../parts/failure.tsx'
import { imagePath } from '../parts/image-path.ts'
import { agreeToUpload, cancelUpload, dismissUpload, retryUpload } from './queue.ts'
import { isUnderWay, mayRetry } from './store.ts'
import { fileNameOf, type Question, type State, type Upload } from './upload.ts'

const states: Readonly<Record<State, string>> = {
  waiting: 'waiting',
  checking: 'checking',
  asking: 'needs a decision',
  sending: 'uploading',
  done: 'stored',
  failed: 'failed',
  cancelled: 'cancelled',
}

const looks: Partial<Readonly<Record<State, string>>> = {
  asking: 'badge is-warning',
  done: 'badge is-good',
  failed: 'badge is-bad',
}

export const UploadRow = memo(function UploadRow({ upload }: { readonly upload: Upload }) {
  const { id, file, name, state, sent, question, error, duplicateOf, warning } = upload
  const label = <span className="hidden"> {name}</span>
  return (
    <li>
      <p className="upload-name">
        <bdi>{name}</bdi> <span className={looks[state] ?? 'badge'}>{states[state]}</span>
      </p>
      {state === 'sending' && <progress aria-label={name} max={file.size} value={sent} />}
      {question && <Asked question={question} filename={fileNameOf(name)} />}
      {error !== null && (
        <p className="upload-error" role="alert">
          {textOf(error)}
        </p>
      )}
      {warning !== null && <p className="note">Warning: {warning}</p>}
      {duplicateOf !== null && (
        <p className="note">
          Same bytes as <SameAs names={[duplicateOf]} />
        </p>
      )}
      <div className="actions">
        {question && (
          <>
            <button type="button" className="button" onClick={() => agreeToUpload(upload)}>
              {verbOf(question)}
              {label}
            </button>
            <button type="button" className="button" onClick={() => cancelUpload(id)}>
              Skip{label}
            </button>
          </>
        )}
        {(isUnderWay(upload) || (state === 'failed' && mayRetry(upload))) && (
          <button type="button" className="button" onClick={() => cancelUpload(id)}>
            {state === 'failed' ? 'Skip' : 'Cancel'}
            {label}
          </button>
        )}
        {state === 'failed' && !mayRetry(upload) && (
          <button type="button" className="button" onClick={() => dismissUpload(id)}>
            Dismiss{label}
          </button>
        )}
        {mayRetry(upload) && (
          <button type="button" className="button" onClick={() => retryUpload(upload)}>
            Retry{label}
          </button>
        )}
      </div>
    </li>
  )
})

function verbOf({ betterName, stored }: Question): string {
  if (betterName !== undefined) return `Upload as ${betterName}`
  return stored ? 'Overwrite' : 'Upload anyway'
}

function Asked({ question, filename }: { readonly question: Question; readonly filename: string }) {
  const { betterName, stored, isNoImage, isCutOff, copies, twin } = question
  return (
    <div className="notice">
      {betterName?.startsWith(`${filename}.`) ? (
        <p>
          The ending of the name <bdi>{filename}</bdi> does not say what kind of image it is.
        </p>
      ) : (
        betterName !== undefined && (
          <p>
            No image can have the name <bdi>{filename}</bdi>:{' '}
            {/^[A-Za-z0-9._-]+$/.test(filename) && filename.length > betterName.length ? (
              'it is too long, or has dots or hyphens where none may be.'
            ) : (
              <>
                only letters, digits and <code>. _ -</code> may be in it.
              </>
            )}
          </p>
        )
      )}
      {isNoImage && <p>It does not begin as an image of a known type: whoever gets it will see a broken image.</p>}
      {isCutOff && <p>It ends early: a part of the image is missing, as when a download breaks off.</p>}
      {stored && (
        <p>
          {stored.etag === null
            ? 'An image of this name is stored, but hidden. Overwriting replaces it.'
            : 'An image of this name already exists. Overwriting replaces it.'}
        </p>
      )}
      {copies.length > 0 && (
        <p>
          Duplicate: the same bytes as <SameAs names={copies} />
        </p>
      )}
      {twin !== undefined && (
        <p>
          Duplicate: the same bytes as <bdi>{twin}</bdi>, another of these files
        </p>
      )}
    </div>
  )
}

/** Links to the images with the same bytes. */
const SameAs = ({ names }: { readonly names: readonly string[] }) =>
  names.slice(0, 3).map((name) => (
    <a key={name} className="same-as" href={imagePath(name)} target="_blank" rel="noreferrer">
      <img src={imagePath(name)} alt="" width={32} height={32} loading="lazy" decoding="async" />
      <bdi>{name}</bdi>
    </a>
  ))
