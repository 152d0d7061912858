import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Select } from '../../parts/field.tsx'
import { useForm } from '../../parts/use-form.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly id: string
  readonly name: string
  readonly onMade: (made: { readonly name: string; readonly key: string }) => void
  readonly onClose: () => void
}

const graces = [
  ['0', 'At once'],
  ['300', 'In 5 minutes'],
  ['3600', 'In an hour'],
  ['86400', 'In a day'],
] as const

export function RotateKey({ id, name, onMade, onClose }: Props) {
  const { client } = useSession()
  const { error, isBusy, onSubmit } = useForm(async (form) =>
    onMade(await client.auth.keys.rotate(id, { graceSeconds: Number(form.get('grace')) })),
  )
  return (
    <Dialog title={`Rotate key: ${name}`} isOpen onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Select label="The old secret ends" name="grace" options={graces} />
        {error !== null && <Failure error={error} />}
        <button type="submit" className="button is-main" disabled={isBusy}>
          Rotate
        </button>
      </form>
    </Dialog>
  )
}
