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

/** Of a long page. Buttons, because the part of an address after `#` is the page. */
export const Contents = ({ names }: Props) => (
  <nav className="contents" aria-label="On this page">
    {names.map((name) => (
      <button type="button" className="link-button" key={name} onClick={() => show(name)}>
        {name}
      </button>
    ))}
  </nav>
)
