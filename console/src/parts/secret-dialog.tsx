import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** What to do with it. */
  readonly note?: string
  readonly onClose: () => void
}

/** A secret that is shown once. Neither Escape nor a click beside it loses it. */
export const SecretDialog = ({ title, label, secret, note, onClose }: Props) => (
  <Dialog title={title} description={<p>Copy it now: it is not shown again. {note}</p>} isOpen isHeld onClose={onClose}>
    <CopyField label={label} text={secret} isNew />
    <button type="button" className="button is-main" onClick={onClose}>
      I have copied it
    </button>
  </Dialog>
)
