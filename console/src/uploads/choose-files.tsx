import type { ReactNode } from 'react'
import { showFailure } from '../parts/toasts.tsx'

interface Props {
  readonly kind: string
  /** Of the button. */
  readonly look: string
  readonly children: ReactNode
}

/** Apart, since the overview needs them only once somebody uploads; with what console.tsx shows of them. */
const load = () => Promise.all([import('./queue.ts'), import('./uploads.tsx')])

async function add(files: readonly File[], kind: string): Promise<void> {
  const [{ addUploads }] = await load()
  addUploads(files, kind)
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
      // While the chooser is open.
      onClick={() => void load().catch(() => {})}
      onChange={({ currentTarget }) => {
        void add([...(currentTarget.files ?? [])], kind).catch(showFailure)
        currentTarget.value = ''
      }}
    />
  </label>
)
