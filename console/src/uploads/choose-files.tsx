import type { ReactNode } from 'react'
import { addUploads } from './queue.ts'
// Shown by console.tsx; imported here so that it is loaded even when the service is unavailable.
import './uploads.tsx'

interface Props {
  readonly kind: string
  /** Of the button. */
  readonly look: string
  readonly children: ReactNode
}

/** Looks like a button, and opens the browser's chooser of files. */
export const ChooseFiles = ({ kind, look, children }: Props) => (
  <label className={`button ${look}`}>
    {children}
    <input
      type="file"
      className="hidden"
      accept="image/*"
      multiple
      onChange={({ currentTarget }) => {
        addUploads(currentTarget.files ?? [], kind)
        currentTarget.value = ''
      }}
    />
  </label>
)
