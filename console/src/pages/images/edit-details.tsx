import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ImageDescriptor, ImageDetails } from '../../../../client/src/client.ts'
import { maxLengths } from '../../../../src/images/details/details.ts'
import { maxTags } from '../../../../src/images/tags.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { splitTags } from '../../parts/split-tags.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly image: ImageDescriptor
  readonly onSaved: (details: ImageDetails) => void
  readonly onBack: () => void
}

const texts = ['alt', 'title', 'artist', 'source', 'license'] as const

/** Sends what was changed here only: somebody else may be writing the rest. */
export function EditDetails({ image, onSaved, onBack }: Props) {
  const { name, alt, title, artist, source, license, tags } = image
  const { client } = useSession()
  const queries = useQueryClient()
  const tagText = tags?.join(' ') ?? ''
  const first = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    first.current?.focus()
    first.current?.form?.scrollIntoView({ block: 'nearest' })
  }, [])
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const text = (field: string) => String(form.get(field)).trim() || null
      const typedTags = String(form.get('tags'))
      const changes: ImageDetails = {
        ...Object.fromEntries(
          texts
            .map((field) => [field, text(field)] as const)
            .filter(([field, typed]) => typed !== (image[field] ?? null)),
        ),
        ...(typedTags !== tagText && { tags: splitTags(typedTags) }),
      }
      if (Object.keys(changes).length === 0) return onBack()
      const { details } = await client.admin.describeImage(
        name,
        changes as Parameters<typeof client.admin.describeImage>[1],
      )
      showToast(`The details of ${name} have been saved`)
      await queries.invalidateQueries({ queryKey: ['images'] })
      ifShown(() => onSaved(details))
    },
    { draft: `details ${name}` },
  )
  const textOf = (field: keyof typeof maxLengths) => ({ name: field, maxLength: maxLengths[field] })
  return (
    <form onSubmit={onSubmit} ref={ref}>
      <TextArea
        label="Alternative text"
        hint="What the image shows, for those who cannot see it."
        {...textOf('alt')}
        defaultValue={alt}
        ref={first}
      />
      <Field label="Title" {...textOf('title')} defaultValue={title} />
      <Field label="Artist" {...textOf('artist')} defaultValue={artist} />
      <Field
        label="Source"
        type="url"
        hint="The address of a page."
        placeholder="https://"
        {...textOf('source')}
        defaultValue={source}
      />
      <Field label="License" {...textOf('license')} defaultValue={license} />
      <Field
        label="Tags"
        name="tags"
        hint={`At most ${maxTags}, separated by spaces or commas, each 1 to 32 characters: a to z, digits and hyphens.`}
        defaultValue={tagText}
      />
      {error !== null && <Failure error={error} />}
      <div className="actions">
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Save details
        </ActButton>
        <button type="button" className="button" onClick={onBack}>
          Cancel
        </button>
      </div>
    </form>
  )
}
