import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'
import type { Secret } from './secrets.tsx'

interface Props extends Secret {
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
