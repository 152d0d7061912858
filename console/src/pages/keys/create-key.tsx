import type { Schemas } from '../../../../client/src/client.ts'
import { permitted, roles } from '../../../../src/accounts/roles.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { passwordIn } from '../../parts/password-again.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSignInOld } from '../../session/password.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly onMade: (made: { readonly name: string; readonly key: string }) => void
  readonly onClose: () => void
}

type Scope = Schemas['KeyScope']

/** A key can never do more than its owner. */
const scopes = [
  ['images', roles, 'Random images and lists'],
  ['upload', permitted.administer, 'Upload images'],
  ['store', permitted.administer, 'Upload, replace, describe, move and delete images'],
  ['admin:read', permitted.findUser, 'Read users, reports, audit and status'],
] as const

const lifetimes = [
  ['365d', 'In a year'],
  ['90d', 'In 90 days'],
  ['30d', 'In 30 days'],
  ['7d', 'In 7 days'],
  ['never', 'Never'],
] as const

export function CreateKey({ onMade, onClose }: Props) {
  const { client, user } = useSession()
  const { error, isBusy, passwordField, onSubmit, clear } = useForm(
    async (form, ifShown) => {
      const limitPerMinute = String(form.get('limitPerMinute'))
      if (!form.has('scope')) throw new Error('Choose at least one scope.')
      const made = await client.auth.keys.create({
        name: String(form.get('name')),
        scopes: form.getAll('scope') as Scope[],
        expiresIn: String(form.get('expiresIn')),
        ...passwordIn(form),
        ...(limitPerMinute !== '' && { limitPerMinute: Number(limitPerMinute) }),
      })
      ifShown(onClose)
      onMade(made)
    },
    { asksPassword: useSignInOld() },
  )
  return (
    <form onSubmit={onSubmit} onInvalidCapture={({ currentTarget }) => clear(currentTarget)}>
      <Field label="Name" name="name" required hint="To tell your keys apart; at most 64 characters." />
      <fieldset>
        <legend>Scopes</legend>
        {scopes
          .filter(([, owners]) => owners.some((role) => role === user.role))
          .map(([scope, , meaning]) => (
            <label className="check" key={scope}>
              <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'images'} />
              <span>
                <code>{scope}</code> {meaning}
              </span>
            </label>
          ))}
      </fieldset>
      <Select label="Expires" name="expiresIn" options={lifetimes} />
      <Field
        label="Requests per minute"
        name="limitPerMinute"
        type="number"
        min={1}
        hint="Leave it empty for no limit of its own."
      />
      {passwordField}
      {error !== null && <Failure error={error} />}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Create
      </ActButton>
    </form>
  )
}
