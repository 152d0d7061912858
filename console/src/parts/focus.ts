import { useEffect } from 'react'

/** An element with all its ancestors: those still in the document tell where it was. */
export type Ancestry = readonly Element[]

export function ancestryOf(element: Element | null): Ancestry {
  const ancestry: Element[] = []
  for (let each = element; each; each = each.parentElement) ancestry.push(each)
  return ancestry
}

/** For entries gone from a list: the entry that took their place. */
const heirs = new WeakMap<Node, Element>()

function noteHeirs(records: readonly MutationRecord[]): void {
  for (const { target, removedNodes, nextSibling, previousSibling } of records) {
    const heir = nextSibling ?? previousSibling
    if (!(target instanceof HTMLUListElement && heir instanceof Element)) continue
    for (const node of removedNodes) heirs.set(node, heir)
  }
}

function heirOf(gone: Element): Element | undefined {
  const heir = heirs.get(gone)
  return heir && !gone.isConnected ? (heirOf(heir) ?? heir) : undefined
}

/** Focuses the element, or the entry, list or section that replaced or contained it; else the page's title. */
export function focusAgain(ancestry: Ancestry): void {
  const [wanted] = ancestry
  const isThere = wanted?.isConnected && wanted !== document.body
  const entry = isThere ? undefined : ancestry.map(heirOf).find((heir) => heir?.isConnected)
  const control = entry?.querySelector<HTMLElement>('a[href], button')
  if (control) return control.focus()
  const home = ancestry.find((each) => each.isConnected && each.matches('[tabindex="0"], section, main'))
  const heading = home?.querySelector('h1, h2') ?? document.querySelector('h1')
  const target = isThere ? wanted : home?.matches('[tabindex="0"]') ? home : heading
  if (!(target instanceof HTMLElement)) return
  if (target === heading) target.tabIndex = -1
  target.focus({ preventScroll: target === heading })
}

/** Keeps the focus nearby when the focused element disappears, such as a deleted row. */
export function useKeptFocus(): void {
  useEffect(() => {
    const ancestryInPage = (element: EventTarget | null) =>
      element instanceof Element && element.closest('main') ? ancestryOf(element) : []
    // On the first page, something may already have the focus.
    let ancestry = ancestryInPage(document.activeElement)
    const isNowhere = () => document.activeElement === document.body
    const isMessage = (target: EventTarget | null) => target instanceof Element && target.closest('.corner') !== null
    const remember = ({ target }: FocusEvent) => {
      // From a message, the focus returns to the page; a dialog returns it by itself.
      if (!isMessage(target)) ancestry = ancestryInPage(target)
    }
    // The focus was lost to a click elsewhere, not because the element is gone.
    const forget = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null || isMessage(target)) return
      queueMicrotask(() => {
        if (isNowhere() && ancestry[0]?.isConnected) ancestry = []
      })
    }
    const observer = new MutationObserver((records) => {
      noteHeirs(records)
      if (isNowhere() && ancestry.length > 0) focusAgain(ancestry)
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
