import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Details, textOf, textWithRequest } from '../../parts/failure.tsx'
import { showToast, showUndo } from '../../parts/toasts.tsx'
import { sessions } from '../../session/session.ts'
import { forEachItem, type Outcome } from './bulk.ts'

export interface Named {
  readonly name: string
}

/** What is done to each image, and what takes it back; null if nothing does. */
export interface BulkAct<Image extends Named> {
  run(image: Image, signal: AbortSignal): Promise<unknown>
  readonly undo: ((image: Image) => Promise<unknown>) | null
  /** After the last one: until then, nothing is done. */
  finish?(signal: AbortSignal): Promise<unknown>
}

interface Props<Image extends Named> {
  readonly title: string
  readonly images: readonly Image[]
  /** The button's label. */
  readonly label: string
  readonly isFinal?: boolean
  /** Such as 'hidden': for '3 images have been hidden'. */
  readonly done: string
  /** Reads the form; throws an Error that says what is wrong with it. */
  readonly actOf: (form: FormData) => BulkAct<Image>
  /** Called with the images that are done, so that the rest can be repeated, and with those that are no longer there. */
  readonly onDone: (images: readonly Image[], gone: readonly Image[]) => void
  readonly onClose: () => void
  /** What is asked or told before. */
  readonly children: ReactNode
}

export const countOf = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'image' : 'images'}`

/** Asks, does something to each image, shows how far it is, and reports what failed. */
export function BulkDialog<Image extends Named>(props: Props<Image>) {
  const { title, images, label, isFinal = false, done, actOf, onDone, onClose, children } = props
  const queries = useQueryClient()
  const nothing: Outcome<Image> = { done: [], failed: [] }
  const [outcome, setOutcome] = useState(nothing)
  const [total, setTotal] = useState<number | null>(null)
  /** Why the service is being waited for. */
  const [waiting, setWaiting] = useState<unknown>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = total !== null
  useEffect(() => {
    if (!isRunning) return undefined
    return askBeforeLeaving()
  }, [isRunning])
  const reread = () => {
    for (const key of ['images', 'kinds', 'hidden', 'reports', 'problems', 'duplicates'])
      void queries.invalidateQueries({ queryKey: [key] })
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    let act: BulkAct<Image>
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
    const found = await forEachItem(images, act.run, {
      signal: abort.signal,
      onProgress: setOutcome,
      onWait: setWaiting,
    })
    setWaiting(null)
    const unfinished = found.done.length > 0 ? await finishOf(act, abort.signal) : null
    running.current = null
    setTotal(null)
    setProblem(unfinished)
    reread()
    const changed = unfinished === null ? found.done : []
    onDone(
      changed,
      found.failed.filter(({ isGone }) => isGone).map(({ item }) => item),
    )
    if (changed.length > 0) tell(changed, done, act.undo, reread)
    if (found.failed.length === 0 && unfinished === null && !abort.signal.aborted) onClose()
  }

  /** Why nothing is done after all; null if it is. */
  async function finishOf({ finish }: BulkAct<Image>, signal: AbortSignal): Promise<string | null> {
    if (finish === undefined) return null
    try {
      signal.throwIfAborted()
      await finish(signal)
      return null
    } catch (error) {
      return signal.aborted ? `Stopped: nothing has been ${done}.` : textOf(error)
    }
  }

  /** Nothing is left that could be tried again. */
  const isOver = outcome.failed.length > 0 && outcome.failed.every(({ isGone }) => isGone)
  const count = outcome.done.length + outcome.failed.length
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <fieldset className="plain" disabled={isRunning}>
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
              {waiting !== null && `. Waiting: ${textOf(waiting)}`}
            </span>
          </p>
        )}
        {!isRunning && outcome.failed.length > 0 && (
          <div className="failure" role="alert">
            <p>
              {countOf(outcome.failed.length)} could not be {done}:
            </p>
            <ul>
              {outcome.failed.map(({ item: { name }, error }) => (
                <li key={name}>
                  <bdi>{name}</bdi>: {textOf(error)}
                  <Details error={error} />
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="actions">
          {isRunning ? (
            <button type="button" className="button" onClick={() => running.current?.abort()}>
              Stop
            </button>
          ) : (
            <>
              {!isOver && (
                <ActButton type="submit" tone={isFinal ? 'danger' : 'main'} isRefused={images.length === 0}>
                  {outcome.failed.length > 0 ? 'Try again' : label}
                </ActButton>
              )}
              <button type="button" className="button" {...(isFinal && { 'data-first': true })} onClick={onClose}>
                {outcome.failed.length > 0 ? 'Close' : 'Cancel'}
              </button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Half of it would stay undone, and nothing would tell. Call the result at the end. */
function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  return () => removeEventListener('beforeunload', ask)
}

/** Says what has been done, with a button that takes it back. */
function tell<Image extends Named>(
  images: readonly Image[],
  done: string,
  undo: BulkAct<Image>['undo'],
  reread: () => void,
): void {
  const [{ name = '' } = {}] = images
  const subject = images.length === 1 ? `${name} has` : `${countOf(images.length)} have`
  if (undo === null) showToast(`${subject} been ${done}`)
  else showUndo(`${subject} been ${done}`, () => void takeBack(images, undo, reread))
}

async function takeBack<Image extends Named>(
  images: readonly Image[],
  undo: (image: Image) => Promise<unknown>,
  reread: () => void,
): Promise<void> {
  const isOne = images.length === 1
  const hide = isOne ? () => {} : showToast(`Putting back ${countOf(images.length)}…`, { isLasting: true })
  const mayLeave = askBeforeLeaving()
  const { done, failed } = await forEachItem(images, undo, { signal: new AbortController().signal })
  mayLeave()
  hide()
  reread()
  // Nothing is told to whoever signs in next.
  if (sessions.current === null) return
  const [first] = failed
  if (first === undefined) {
    showToast(`The change to ${isOne ? images[0]?.name : countOf(images.length)} has been undone`)
    return
  }
  // Also those that were not tried, since the role has changed.
  const left = images.filter((image) => !done.includes(image))
  const others = done.length > 0 ? ' The others were put back.' : ''
  showToast(`The change to ${namesOf(left)} could not be undone: ${textWithRequest(first.error)}${others}`, {
    isFailure: true,
    action: { label: 'Try again', run: () => void takeBack(left, undo, reread) },
  })
}

const maxNamed = 3

export function namesOf(images: readonly Named[]): string {
  const named = images.slice(0, images.length > maxNamed + 1 ? maxNamed : maxNamed + 1).map(({ name }) => name)
  const more = images.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more.toLocaleString('en')} more` : named.join(', ')
}
