import { useQueryClient } from '@tanstack/react-query'
import { MenagerieError } from '../../../../client/src/client.ts'
import { maxLengths } from '../../../../src/images/details/details.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { useSession } from '../../session/session.ts'
import { splitTags } from './split-tags.ts'

interface Props {
  readonly names: readonly string[]
  /** Called with each image that is saved, or no longer exists. */
  readonly onDone: (name: string) => void
  readonly onClose: () => void
}

const texts = ['artist', 'source', 'license'] as const

/** What several images share. One after the other; what is saved leaves the selection, so that the rest can be repeated. */
export function DescribeSelection({ names, onDone, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    const given = (name: string) => String(form.get(name) ?? '').trim()
    const shared = Object.fromEntries(texts.map((name) => [name, given(name)]).filter(([, text]) => text !== ''))
    const [added, removed] = [splitTags(given('added')), new Set(splitTags(given('removed')))]
    const tagsOf = async (name: string) => {
      const { tags = [] } = await client.images.describe(name)
      return { tags: [...tags, ...added].filter((tag) => !removed.has(tag)) }
    }
    const describe = async (name: string) => {
      const tags = added.length + removed.size > 0 ? await tagsOf(name) : {}
      await client.admin.describeImage(name, { ...shared, ...tags })
    }
    let gone = 0
    try {
      for (const name of names) {
        await describe(name).catch((error) => {
          if (!(error instanceof MenagerieError) || error.status !== 404) throw error
          gone++
        })
        onDone(name)
      }
    } finally {
      void queries.invalidateQueries({ queryKey: ['images'] })
    }
    const saved = names.length - gone
    const skipped = gone === 0 ? '' : `; ${gone} no longer ${gone === 1 ? 'exists' : 'exist'}`
    showToast(`${saved} ${saved === 1 ? 'image has' : 'images have'} been described${skipped}`)
    onClose()
  })
  return (
    <Dialog
      title="Describe the selected images"
      description={<p>A field that is left empty changes nothing.</p>}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit}>
        <Field label="Artist" name="artist" maxLength={maxLengths.artist} />
        <Field label="Source" type="url" placeholder="https://" name="source" maxLength={maxLengths.source} />
        <Field label="License" name="license" maxLength={maxLengths.license} />
        <Field label="Tags to add" name="added" hint="Separated by spaces: lower-case letters, digits and hyphens." />
        <Field label="Tags to remove" name="removed" hint="Separated by spaces." />
        <p role="status">{isBusy && `${names.length} left`}</p>
        {error !== null && <Failure error={error} />}
        <div className="actions">
          <ActButton type="submit" tone="main" isBusy={isBusy}>
            Save details
          </ActButton>
        </div>
      </form>
    </Dialog>
  )
}
