import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Select } from '../../parts/field.tsx'
import { passwordIn } from '../../parts/password-again.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSignInOld } from '../../session/password.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly id: string
  readonly onMade: (made: { readonly name: string; readonly key: string }) => void
  readonly onClose: () => void
}

const graces = [
  ['0', 'At once'],
  ['300', 'In 5 minutes'],
  ['3600', 'In an hour'],
  ['86400', 'In a day'],
] as const

export function RotateKey({ id, onMade, onClose }: Props) {
  const { client } = useSession()
  const { error, isBusy, passwordField, onSubmit } = useForm(
    async (form, ifShown) => {
      const made = await client.auth.keys.rotate(id, { graceSeconds: Number(form.get('grace')), ...passwordIn(form) })
      ifShown(onClose)
      onMade(made)
    },
    { asksPassword: useSignInOld() },
  )
  return (
    <form onSubmit={onSubmit}>
      <Select label="The old secret ends" name="grace" options={graces} />
      {passwordField}
      {error !== null && <Failure error={error} />}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Rotate
      </ActButton>
    </form>
  )
}
