import { useMedia } from './media.ts'

interface Props {
  /** The headings of the page's sections. */
  readonly names: readonly string[]
}

function show(name: string): void {
  const headings = [...document.querySelectorAll<HTMLElement>('main h2')]
  const heading = headings.find(({ textContent }) => textContent === name)
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
  heading.scrollIntoView()
}

/** Of a long page; closed where it would take many lines. Buttons, since what follows `#` in an address is the page. */
export function Contents({ names }: Props) {
  const isWide = useMedia('(min-width: 1024px)')
  return (
    <details className="contents" open={isWide}>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        {names.map((name) => (
          <button type="button" className="link-button" key={name} onClick={() => show(name)}>
            {name}
          </button>
        ))}
      </nav>
    </details>
  )
}
