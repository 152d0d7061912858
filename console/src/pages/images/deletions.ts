import { useSyncExternalStore } from 'react'
import { type Client, type ImageDescriptor, MenagerieError } from '../../../../client/src/client.ts'
import { textOf } from '../../parts/failure.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { onRefusal } from '../../session/queries.ts'
import { sessions } from '../../session/session.ts'

const undoMs = 10_000

/** Versions that the page does not show: those about to be deleted, and deleted ones. */
let gone: ReadonlySet<string> = new Set()
/** The undo functions of pending deletions. */
const undos = new Map<string, () => void>()
const listeners = new Set<() => void>()

function set(next: ReadonlySet<string>): void {
  gone = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const versionOf = ({ name, etag, lastModified }: ImageDescriptor) => `${name} ${etag} ${lastModified}`

const restore = (version: string) => set(new Set([...gone].filter((each) => each !== version)))

/** Sends nothing for ten seconds; if the tab is closed before, the image stays. Calls `onDone` after the attempt. */
export function deleteLater(client: Client, bucketName: string, image: ImageDescriptor, onDone: () => void): void {
  const version = versionOf(image)
  const undo = () => {
    clearTimeout(timer)
    undos.delete(version)
    hide()
    restore(version)
  }
  const timer = setTimeout(async () => {
    undos.delete(version)
    try {
      await client.store.delete({ bucketName, objectName: image.name }, { ifMatch: image.etag })
      showToast(`${image.name} has been deleted`)
    } catch (error) {
      void onRefusal(error)
      restore(version)
      showToast(`${image.name} ${outcomeOf(error)}`, { isFailure: true })
    }
    onDone()
  }, undoMs)
  undos.set(version, undo)
  set(new Set([...gone, version]))
  const hide = showToast(`${image.name} will be deleted in 10 seconds; signing out or closing this tab keeps it`, {
    action: { label: 'Undo', run: undo },
    ms: undoMs,
  })
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof MenagerieError)) return `was not deleted: ${textOf(error)}`
  const { status } = error
  if (status === 412) return `was not deleted: another version was stored, or it is gone (${error.text})`
  // Perhaps only the reply was lost.
  return `${[0, 502, 504].includes(status) ? 'may not have been deleted' : 'was not deleted'}: ${textOf(error)}`
}

export const useGone = () => useSyncExternalStore(subscribe, () => gone)

addEventListener('beforeunload', (event) => {
  if (undos.size > 0) event.preventDefault()
})

/** Undoes the latest deletion, on every page. */
addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
  const isTyping = target instanceof Element && target.matches('input, select, textarea')
  if (key === 'z' && (ctrlKey || metaKey) && !isTyping) [...undos.values()].at(-1)?.()
})

let userId = sessions.current?.user.id

/** Nobody can undo after signing out, and nothing may be deleted by whoever signs in next, perhaps in another tab. */
sessions.subscribe(() => {
  const nextId = sessions.current?.user.id
  if (nextId !== userId) for (const undo of [...undos.values()]) undo()
  userId = nextId
})
