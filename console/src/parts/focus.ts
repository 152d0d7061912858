import { useEffect } from 'react'

/** An element with all that it is in: what is left of it tells where it was. */
export type Place = readonly Element[]

export function placeOf(element: Element | null): Place {
  const place: Element[] = []
  for (let each = element; each; each = each.parentElement) place.push(each)
  return place
}

/** What was there; if it is gone, the list or section that it was in; else the title of the page. */
export function focusAgain(place: Place): void {
  const [wanted] = place
  const isThere = wanted?.isConnected && wanted !== document.body
  const home = place.find((each) => each.isConnected && each.matches('[tabindex="0"], section, main'))
  const heading = home?.querySelector('h1, h2') ?? document.querySelector('h1')
  const target = isThere ? wanted : home?.matches('[tabindex="0"]') ? home : heading
  if (!(target instanceof HTMLElement)) return
  if (target === heading) target.tabIndex = -1
  target.focus()
}

/** When what has the focus disappears, such as a row that was deleted, the focus stays near. */
export function useKeptFocus(): void {
  useEffect(() => {
    let place: Place = []
    const isNowhere = () => document.activeElement === document.body
    const remember = () => {
      const { activeElement } = document
      // A dialog gives it back by itself.
      place = activeElement?.closest('main') ? placeOf(activeElement) : []
    }
    // By a click beside it, rather than because it is gone.
    const forget = () =>
      queueMicrotask(() => {
        if (isNowhere() && place[0]?.isConnected) place = []
      })
    const observer = new MutationObserver(() => {
      if (isNowhere() && place[0]?.isConnected === false) focusAgain(place)
    })
    document.addEventListener('focusin', remember)
    document.addEventListener('focusout', forget)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      document.removeEventListener('focusout', forget)
      observer.disconnect()
    }
  }, [])
}
