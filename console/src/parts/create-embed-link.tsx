import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Orientation } from '../../../src/images/shapes/choices.ts'
import { useSignInOld } from '../session/password.ts'
import { useSession } from '../session/session.ts'
import { ActButton } from './act-button.tsx'
import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { Field, Select } from './field.tsx'
import { firstPage } from './first-page.ts'
import { timeZone } from './form-values.ts'
import { orientationOptions } from './orientations.ts'
import { passwordIn } from './password-again.tsx'
import { splitTags } from './split-tags.ts'
import { useForm } from './use-form.tsx'

interface Props {
  readonly kind?: string
  readonly onClose: () => void
}

const lifetimes = [
  ['365d', 'In a year'],
  ['90d', 'In 90 days'],
  ['30d', 'In 30 days'],
  ['1d', 'In a day'],
] as const

const periods = [
  ['', 'On each request'],
  ['hour', 'Every hour'],
  ['day', 'Every day'],
  ['week', 'Every week'],
] as const
type Period = Exclude<(typeof periods)[number][0], ''>

/** A link for `<img>`, Markdown or a photo frame. */
export function CreateEmbedLink({ kind, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const [url, setUrl] = useState<string | null>(null)
  const [per, setPer] = useState('')
  const [isEmpty, setIsEmpty] = useState(false)
  const kinds = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  const { error, isBusy, passwordField, onSubmit } = useForm(
    async (form) => {
      const orientation = String(form.get('orientation')) as Orientation | ''
      const per = String(form.get('per')) as Period | ''
      const tagsIn = (name: string) => splitTags(String(form.get(name)))
      const kind = String(form.get('kind'))
      const [tags, without] = [tagsIn('tags'), tagsIn('without')]
      const made = await client.auth.embed.create({
        kind,
        ttl: String(form.get('ttl')),
        tags,
        without,
        ...(per === '' ? { repeat: form.has('repeat') ? 'no' : 'yes' } : { per, tz: timeZone() }),
        ...passwordIn(form),
        ...(orientation !== '' && { orientation }),
      })
      const terms = {
        ...(tags.length > 0 && { tags: tags.join() }),
        ...(without.length > 0 && { without: without.join() }),
        ...(orientation !== '' && { orientation }),
      }
      const matching = firstPage(client.images.list(kind, { ...terms, limit: 1 }))
      setUrl(made.url)
      void matching.then(
        ({ images }) => setIsEmpty(images.length === 0),
        () => {},
      )
      await queries.invalidateQueries({ queryKey: ['embed links'] })
    },
    { asksPassword: useSignInOld() },
  )
  return (
    <Dialog title={url === null ? 'Create embed link' : 'Embed link'} isOpen onClose={onClose}>
      {url === null ? (
        <form onSubmit={onSubmit}>
          <Select
            key={kinds.data ? 'known' : 'unknown'}
            label="Kind"
            name="kind"
            required
            defaultValue={kind}
            options={kinds.data?.kinds.map((each) => [each.kind, each.kind] as const) ?? []}
          />
          <Select label="Orientation" name="orientation" options={orientationOptions} />
          <Field label="Tags" name="tags" hint="Separated by spaces: only images that have all of them." />
          <Field label="Without tags" name="without" hint="Only images that have none of them." />
          <Select label="Expires" name="ttl" options={lifetimes} />
          <Select label="New image" name="per" options={periods} onChange={(event) => setPer(event.target.value)} />
          {per === '' ? (
            <label className="check">
              <input type="checkbox" name="repeat" /> Show every image once before repeating any
            </label>
          ) : (
            <p className="note">
              The same image for everybody, by the clock of {timeZone()}. None is repeated until all others were shown.
            </p>
          )}
          {passwordField}
          {error !== null && <Failure error={error} />}
          <ActButton type="submit" tone="main" isBusy={isBusy}>
            Create
          </ActButton>
        </form>
      ) : (
        <>
          {isEmpty && <p className="notice">No image matches at the moment, so the link shows none until one does.</p>}
          <CopyField label="Link" text={url} isNew />
          <CopyField label="Markdown" text={`![A random image](${url})`} />
          <CopyField label="HTML" text={`<img src="${url}" alt="A random image">`} />
        </>
      )}
    </Dialog>
  )
}
