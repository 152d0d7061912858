import { useNavigate } from '@tanstack/react-router'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'

/** For those who may look a user up, but not list them. */
export function FindUser({ isFirst = false }: { readonly isFirst?: boolean }) {
  const { client } = useSession()
  const navigate = useNavigate()
  const { error, isBusy, onSubmit } = useForm(
    async (form, ifShown) => {
      const { user } = await client.admin.findUser({ username: String(form.get('username')).trim() })
      ifShown(() => void navigate({ to: '/users/$userId', params: { userId: user.id } }))
    },
    { isQuestion: true },
  )
  return (
    <form className="form" onSubmit={onSubmit}>
      <Field
        label="Username"
        name="username"
        data-first={isFirst || undefined}
        autoComplete="off"
        autoCapitalize="none"
        required
        hint="The whole name."
      />
      {error !== null && <Failure error={error} />}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Find
      </ActButton>
    </form>
  )
}
