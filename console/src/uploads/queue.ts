import { type Client, MenagerieError } from '../../../client/src/client.ts'
import { textOf } from '../parts/failure.tsx'
import { isAway, onRefusal } from '../session/queries.ts'
import { presentAllowance, serverNow } from '../session/server-clock.ts'
import { type Session, sessions } from '../session/session.ts'
import { examine, type Finding, underWay } from './examine.ts'
import { isWell, pauseQueue } from './pause.ts'
import { change, current, isFinished, isIn, isUnderWay, mayRetry, set } from './store.ts'
import type { Rules, Upload } from './upload.ts'

const maxParallel = 3
/** Max broken connections for one file while the service is available. */
const maxBreaks = 3
/** Share of the allowed requests kept for the pages, and for others behind the same address. */
const keptShare = 0.2

const running = new Map<number, AbortController>()
/** The owner of the files: they must not be stored under anybody else's name. */
let ownerId: string | null = null
let rules: Rules | null = null
let lastId = 0

export function addUploads(files: Iterable<File>, kind: string): void {
  ownerId = sessions.current?.user.id ?? null
  const added = Array.from(files, (file): Upload => ({ ...fresh, id: ++lastId, file, name: `${kind}/${file.name}` }))
  set({ list: [...current().list, ...added] })
  pump()
}

const again = { state: 'waiting', sent: 0, question: null, error: null } as const
const fresh = { ...again, agreed: null, breaks: 0, mayBeStored: false, duplicateOf: null, warning: null }

function cancel(ids: readonly number[]): void {
  for (const id of ids) running.get(id)?.abort()
  change(new Set(ids), { state: 'cancelled', question: null })
  pump()
}

export const cancelUpload = (id: number) => cancel([id])

/** What cannot be tried again needs no row. */
export const dismissUpload = (id: number) => set({ list: current().list.filter((each) => each.id !== id) })

const cancelAll = (isMeant: (upload: Upload) => boolean) =>
  cancel(
    current()
      .list.filter(isMeant)
      .map(({ id }) => id),
  )

export const cancelUploads = () => cancelAll((each) => isUnderWay(each) || each.state === 'asking')

export const skipUploads = () => cancelAll(isIn('asking'))

function retry(uploads: readonly Upload[]): void {
  change(new Set(uploads.map(({ id }) => id)), { ...again, breaks: 0 })
  pump()
}

export const retryUpload = (upload: Upload) => retry([upload])

export const retryFailedUploads = () =>
  retry(current().list.filter((each) => each.state === 'failed' && mayRetry(each)))

export const clearFinishedUploads = () => set({ list: current().list.filter((each) => !isFinished(each)) })

/** Uploads the file anyway. Under its better name, it is examined again. */
export function agreeToUpload({ id, name, question }: Upload): void {
  if (question === null) return
  const { betterName, stored } = question
  const kind = name.slice(0, name.indexOf('/'))
  if (betterName !== undefined) change(id, { ...again, name: `${kind}/${betterName}` })
  else change(id, { ...again, agreed: stored ? conditionOf(stored.etag) : { ifAbsent: true } })
  pump()
}

const conditionOf = (etag: string | null) => (etag === null ? {} : { ifMatch: etag })

/** How long the queue pauses to keep the console itself from being refused. */
function restMs(): number {
  const allowance = presentAllowance()
  return allowance && allowance.left <= allowance.max * keptShare ? allowance.endsAt - serverNow() : 0
}

function pump(): void {
  const session = sessions.current
  if (session === null || current().pause !== null || !current().list.some(isIn('waiting'))) return
  const ms = restMs()
  const text = 'Most of the requests that the service allows are used.'
  if (ms > 0) return void pauseQueue(session.client, { text, ms }, pump)
  for (const upload of current()
    .list.filter(isIn('waiting'))
    .slice(0, Math.max(0, maxParallel - running.size)))
    void run(upload, session)
}

async function run(upload: Upload, { client }: Session): Promise<void> {
  const { id } = upload
  const abort = new AbortController()
  const { signal } = abort
  running.set(id, abort)
  change(id, { state: 'checking' })
  let md5: string | null = null
  try {
    rules ??= await client.admin.service({ signal })
    const finding = await examine(upload, client, rules, signal)
    signal.throwIfAborted()
    md5 = finding.md5
    if (finding.isStored) finish(id, {})
    else if (finding.question) change(id, { state: 'asking', question: finding.question })
    else finish(id, await send(upload, { ...finding, ...rules }, client, signal))
  } catch (error) {
    if (!signal.aborted) await fail(upload, client, { error, md5, signal })
  } finally {
    if (running.get(id) === abort) running.delete(id)
    underWay.delete(upload.name)
    pump()
  }
}

async function send(
  { id, file, name, agreed }: Upload,
  { contentType, bucket }: Pick<Finding, 'contentType'> & Pick<Rules, 'bucket'>,
  client: Client,
  signal: AbortSignal,
) {
  change(id, { state: 'sending', mayBeStored: true })
  const { duplicateOf, warning } = await client.store.upload({ bucketName: bucket, objectName: name }, file, {
    contentType,
    signal,
    onProgress: ({ sent }) => change(id, { sent }),
    ...(agreed ?? { ifAbsent: true }),
  })
  return { duplicateOf, warning }
}

function finish(id: number, notes: Partial<Pick<Upload, 'duplicateOf' | 'warning'>>): void {
  change(id, { state: 'done', ...notes })
  set({ stored: current().stored + 1 })
}

interface Failed {
  readonly error: unknown
  readonly md5: string | null
  readonly signal: AbortSignal
}

async function fail(upload: Upload, client: Client, { error, md5, signal }: Failed): Promise<void> {
  const { id, breaks } = upload
  if (!(error instanceof MenagerieError)) return change(id, { state: 'failed', error })
  if (error.status === 401) {
    await onRefusal(error)
    if (!signal.aborted) change(id, again)
    return
  }
  if (error.status === 412) return askAboutStored(upload, client, md5, signal)
  // The object store may be unavailable: every upload then fails like this.
  const mayPass = error.status === 500 || isAway(error)
  if (!mayPass) return change(id, { state: 'failed', error })
  const breaksNow = error.retryAfterMs === undefined && (await isWell(client)) ? breaks + 1 : breaks
  if (signal.aborted) return
  if (breaksNow >= maxBreaks) return change(id, { state: 'failed', error })
  change(id, { ...again, breaks: breaksNow })
  void pauseQueue(client, { text: textOf(error), ms: error.retryAfterMs }, pump)
}

/** Another object has the name, or the stored version is not the one to be overwritten. */
async function askAboutStored(
  { id, name, mayBeStored }: Upload,
  client: Client,
  md5: string | null,
  signal: AbortSignal,
): Promise<void> {
  // Null if it is hidden, and thus not served.
  const head = await client.images.head(name).catch(() => null)
  if (signal.aborted) return
  if (mayBeStored && head !== null && head.etag === md5) return finish(id, {})
  const question = { copies: [], stored: { etag: head?.etag ?? null } }
  change(id, { state: 'asking', sent: 0, agreed: null, question })
}

sessions.subscribe(() => {
  const session = sessions.current
  if (session !== null && session.user.id === ownerId) return pump()
  for (const [id, abort] of running) {
    abort.abort()
    change(id, again)
  }
  rules = null
  if (session !== null) set({ list: [] })
})
