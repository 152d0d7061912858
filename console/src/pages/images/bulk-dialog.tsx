import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { showToast, showUndo } from '../../parts/toasts.tsx'
import { forEachItem, type Outcome } from './bulk.ts'

/** What is done to each image, and what takes it back; null if nothing does. */
export interface BulkAct {
  run(image: ImageDescriptor): Promise<unknown>
  readonly undo: ((image: ImageDescriptor) => Promise<unknown>) | null
  /** After the last one. */
  finish?(): Promise<unknown>
}

interface Props {
  readonly title: string
  readonly images: readonly ImageDescriptor[]
  /** The button's label. */
  readonly label: string
  readonly isFinal?: boolean
  /** Such as 'hidden': for '3 images have been hidden'. */
  readonly done: string
  /** Reads the form; throws an Error that says what is wrong with it. */
  readonly actOf: (form: FormData) => BulkAct
  /** Called with the images that are done, so that the rest can be repeated, and with those that are no longer there. */
  readonly onDone: (images: readonly ImageDescriptor[], gone: readonly ImageDescriptor[]) => void
  readonly onClose: () => void
  /** What is asked or told before. */
  readonly children: ReactNode
}

const nothing: Outcome<ImageDescriptor> = { done: [], failed: [] }

export const countOf = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'image' : 'images'}`

/** Asks, does something to each image, shows how far it is, and reports what failed. */
export function BulkDialog(props: Props) {
  const { title, images, label, isFinal = false, done, actOf, onDone, onClose, children } = props
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState(nothing)
  const [total, setTotal] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const reread = () => {
    for (const key of ['images', 'kinds', 'hidden', 'reports']) void queries.invalidateQueries({ queryKey: [key] })
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    let act: BulkAct
    try {
      act = actOf(new FormData(event.currentTarget))
    } catch (error) {
      setProblem((error as Error).message)
      return
    }
    setProblem(null)
    setOutcome(nothing)
    setTotal(images.length)
    const abort = new AbortController()
    running.current = abort
    const found = await forEachItem(images, act.run, { signal: abort.signal, onProgress: setOutcome })
    if (found.done.length > 0 && !abort.signal.aborted) await act.finish?.()
    running.current = null
    setTotal(null)
    reread()
    onDone(
      found.done,
      found.failed.filter(({ isGone }) => isGone).map(({ item }) => item),
    )
    if (found.done.length > 0) tell(found.done, done, act.undo, reread)
    if (found.failed.length === 0 && !abort.signal.aborted) onClose()
  }

  /** Nothing is left that could be tried again. */
  const isOver = outcome.failed.length > 0 && outcome.failed.every(({ isGone }) => isGone)
  const count = outcome.done.length + outcome.failed.length
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <fieldset className="plain" disabled={total !== null}>
          {children}
        </fieldset>
        {problem !== null && (
          <p className="failure" role="alert">
            {problem}
          </p>
        )}
        {total !== null && (
          <p>
            <progress max={total} value={count} aria-label={`${label}: progress`} />{' '}
            <span role="status">
              {count.toLocaleString('en')} of {total.toLocaleString('en')}
            </span>
          </p>
        )}
        {total === null && outcome.failed.length > 0 && (
          <div className="failure" role="alert">
            <p>{countOf(outcome.failed.length)} could not be changed:</p>
            <ul>
              {outcome.failed.map(({ item: { name }, text }) => (
                <li key={name}>
                  <bdi>{name}</bdi>: {text}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="actions">
          {total === null ? (
            !isOver && (
              <ActButton type="submit" tone={isFinal ? 'danger' : 'main'} isRefused={images.length === 0}>
                {outcome.failed.length > 0 ? 'Try again' : label}
              </ActButton>
            )
          ) : (
            <button type="button" className="button" onClick={() => running.current?.abort()}>
              Stop
            </button>
          )}
          <button type="button" className="button" {...(isFinal && { 'data-first': true })} onClick={onClose}>
            {outcome.failed.length > 0 ? 'Close' : 'Cancel'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Says what has been done, with a button that takes it back. */
function tell(images: readonly ImageDescriptor[], done: string, undo: BulkAct['undo'], reread: () => void): void {
  const [{ name = '' } = {}] = images
  const subject = images.length === 1 ? `${name} has` : `${countOf(images.length)} have`
  if (undo === null) {
    showToast(`${subject} been ${done}`)
    return
  }
  const run = async () => {
    const ignore = { signal: new AbortController().signal, onProgress() {} }
    const { failed } = await forEachItem(images, undo, ignore)
    reread()
    const [first] = failed
    if (first) showToast(`Could not be undone for ${first.item.name}: ${first.text}`, { isFailure: true })
    else showToast(images.length === 1 ? `${name} is as it was before` : `${countOf(images.length)} are as before`)
  }
  showUndo(`${subject} been ${done}`, () => void run())
}
