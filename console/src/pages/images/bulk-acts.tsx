import { useQuery } from '@tanstack/react-query'
import { type ImageDescriptor, MenagerieError } from '../../../../client/src/client.ts'
import { maxLengths } from '../../../../src/images/details/details.ts'
import { Field, Select } from '../../parts/field.tsx'
import { imagePath } from '../../parts/image-path.ts'
import { maxTurnsPerMinute, pictureTurn } from '../../parts/picture-queue.ts'
import { saveFile } from '../../parts/save-file.ts'
import { sizeText } from '../../parts/size.ts'
import { splitTags } from '../../parts/split-tags.ts'
import { useSession } from '../../session/session.ts'
import { Gone, unless } from './bulk.ts'
import { BulkDialog, countOf, namesOf } from './bulk-dialog.tsx'

interface Props {
  readonly images: readonly ImageDescriptor[]
  readonly onDone: (images: readonly ImageDescriptor[], gone: readonly ImageDescriptor[]) => void
  readonly onClose: () => void
}

const fileOf = (name: string) => name.slice(name.indexOf('/') + 1)
const titleOf = (act: string, images: readonly ImageDescriptor[]) =>
  images.length === 1 && images[0] ? `${act} ${images[0].name}` : `${act} ${countOf(images.length)}`

export function HideImages(props: Props) {
  const { client } = useSession()
  return (
    <BulkDialog
      {...props}
      title={titleOf('Hide', props.images)}
      label="Hide"
      done="hidden"
      actOf={() => ({
        run: ({ name }) => client.admin.hide({ name }),
        undo: ({ name }) => client.admin.unhide({ name }).catch(unless('Image is not hidden')),
      })}
    >
      <p>Hidden images are neither chosen nor listed, and their URLs stop working, until they are shown again.</p>
    </BulkDialog>
  )
}

/** Somebody else may have deleted it, or replaced it, since the list was read. */
async function assertPresent({ images }: ReturnType<typeof useSession>['client'], { name, etag }: ImageDescriptor) {
  const found = await images.describe(name).catch((error) => {
    if (error instanceof MenagerieError && error.status === 404) return null
    throw error
  })
  if (found?.etag !== etag) throw new Error(`Not deleted, since ${name} has been changed, hidden or deleted meanwhile.`)
}

interface DeleteProps extends Props {
  readonly bucket: string
  /** The copy that stays: without it, nothing is deleted. */
  readonly kept?: ImageDescriptor
}

export function DeleteImages({ bucket, kept, ...props }: DeleteProps) {
  const { client } = useSession()
  return (
    <BulkDialog
      {...props}
      title={titleOf('Delete', props.images)}
      label={`Delete ${countOf(props.images.length)}`}
      isFinal
      done="deleted"
      actOf={() => ({
        async run({ name, etag }) {
          if (kept) await assertPresent(client, kept)
          try {
            await client.store.delete({ bucketName: bucket, objectName: name }, { ifMatch: etag })
          } catch (error) {
            const isOther = error instanceof MenagerieError && error.status === 412
            throw isOther && (await client.images.head(name)) === null ? new Gone() : error
          }
        },
        undo: null,
      })}
    >
      {props.images.length > 1 && (
        <p>
          <bdi>{namesOf(props.images)}</bdi>
        </p>
      )}
      {kept && (
        <p>
          <bdi>{kept.name}</bdi> stays.
        </p>
      )}
      <p>This is final: the files and their details are deleted, and cannot be restored from here.</p>
    </BulkDialog>
  )
}

const fileRule = 'Letters, digits, dots, hyphens and underscores.'

export function MoveImages({ kind, ...props }: Props & { readonly kind: string }) {
  const { client } = useSession()
  const { data } = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  const others = data?.kinds.map((each) => each.kind).filter((each) => each !== kind) ?? []
  const only = props.images.length === 1 ? props.images[0] : undefined
  return (
    <BulkDialog
      {...props}
      title={titleOf('Move', props.images)}
      label="Move"
      done="moved"
      actOf={(form) => {
        const to = String(form.get('to'))
        const file = form.get('file')
        const targetOf = (name: string) => `${to}/${file ?? fileOf(name)}`
        return {
          run: ({ name }) => client.admin.move({ name, to: targetOf(name) }),
          undo: ({ name }) => client.admin.move({ name: targetOf(name), to: name }),
        }
      }}
    >
      <Select
        label="To the kind"
        name="to"
        options={[...others, ...(only ? [kind] : [])].map((each) => [each, each])}
      />
      {only && (
        <Field
          key={only.name}
          label="File name"
          name="file"
          defaultValue={fileOf(only.name)}
          pattern="[A-Za-z0-9._\-]+"
          required
          hint={fileRule}
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(currentTarget.validity.patternMismatch ? fileRule : '')
          }
        />
      )}
      <p className="note">Details and reports move too. URLs with the old name stop working.</p>
    </BulkDialog>
  )
}

async function failureOf(reply: Response) {
  const { status, statusText, headers } = reply
  const { message } = await reply.json().catch(() => ({}))
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = seconds >= 0 ? seconds * 1_000 : undefined
  return { status, text: message ?? statusText, retryAfterMs, requestId: headers.get('x-request-id') ?? undefined }
}

/** In its turn among the pictures of the page, so that the limits leave room for everything else. */
async function original(name: string, etag: string, signal: AbortSignal): Promise<Blob> {
  const leave = await pictureTurn(signal)
  try {
    const reply = await fetch(imagePath(name, etag), { signal })
    if (reply.status === 404) throw new Gone()
    if (!reply.ok) throw new MenagerieError(name, await failureOf(reply))
    return await reply.blob()
  } catch (error) {
    // As the client does, so that it is tried again.
    throw error instanceof TypeError ? new MenagerieError(name, { status: 0, text: error.message }) : error
  } finally {
    leave()
  }
}

/** The browser keeps the whole archive in memory. */
const maxDownloadBytes = 500_000_000

/** As one archive. */
export function DownloadImages({ kind, ...props }: Props & { readonly kind: string }) {
  const bytes = props.images.reduce((sum, { size }) => sum + size, 0)
  return (
    <BulkDialog
      {...props}
      title={titleOf('Download', props.images)}
      label="Download"
      done="downloaded"
      actOf={() => {
        if (bytes > maxDownloadBytes)
          throw new Error(`At most ${sizeText(maxDownloadBytes)} can be downloaded at once. Select fewer images.`)
        const files: { name: string; lastModified: Date; input: Blob }[] = []
        const archiver = import('client-zip')
        return {
          async run({ name, etag, lastModified }, signal) {
            await archiver
            const input = await original(name, etag, signal)
            files.push({ name: fileOf(name), lastModified: new Date(lastModified), input })
          },
          undo: null,
          async finish(signal) {
            const { downloadZip } = await archiver
            const archive = await downloadZip(files).blob()
            signal.throwIfAborted()
            saveFile(archive, `${kind}.zip`)
          },
        }
      }}
    >
      <p>
        The originals, {sizeText(bytes)}, as <bdi>{kind}</bdi>.zip.
        {props.images.length > maxTurnsPerMinute &&
          ` About ${maxTurnsPerMinute} a minute, so that the limits of the service leave room for everything else.`}
      </p>
    </BulkDialog>
  )
}

const texts = ['artist', 'source', 'license'] as const

/** What several images share. */
export function DescribeImages(props: Props) {
  const { client } = useSession()
  const before = new Map<string, Parameters<typeof client.admin.describeImage>[1]>()
  return (
    <BulkDialog
      {...props}
      title={titleOf('Describe', props.images)}
      label="Save details"
      done="described"
      actOf={(form) => {
        const given = (name: string) => String(form.get(name) ?? '').trim()
        const shared = Object.fromEntries(texts.map((name) => [name, given(name)]).filter(([, text]) => text !== ''))
        const [added, removed] = [splitTags(given('added')), new Set(splitTags(given('removed')))]
        if (Object.keys(shared).length + added.length + removed.size === 0)
          throw new Error('Fill in at least one field.')
        return {
          async run({ name }) {
            const { artist = null, source = null, license = null, tags = [] } = await client.images.describe(name)
            const known = before.get(name) ?? { artist, source, license, tags }
            const kept = [...new Set([...tags, ...added])].filter((tag) => !removed.has(tag))
            await client.admin.describeImage(name, {
              ...shared,
              ...(added.length + removed.size > 0 && { tags: kept }),
            })
            before.set(name, known)
          },
          async undo({ name }) {
            const known = before.get(name)
            if (known) await client.admin.describeImage(name, known)
          },
        }
      }}
    >
      <p>A field that is left empty changes nothing.</p>
      <Field label="Artist" name="artist" maxLength={maxLengths.artist} />
      <Field label="Source" type="url" placeholder="https://" name="source" maxLength={maxLengths.source} />
      <Field label="License" name="license" maxLength={maxLengths.license} />
      <Field label="Tags to add" name="added" hint="Separated by spaces or commas; only a to z, digits and hyphens." />
      <Field label="Tags to remove" name="removed" hint="Separated by spaces or commas." />
    </BulkDialog>
  )
}
