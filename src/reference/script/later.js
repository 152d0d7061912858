/* The long parts of the page are in <noscript>, which is text to a browser with script. Opening one makes elements of it. */

const parts = all('.later')
const headingOf = (part) => part.previousElementSibling.querySelector('h3')
const partsById = new Map(parts.map((part) => [headingOf(part).id, part]))
const toggles = new Map()
/** What the other scripts add to a part once it has elements. */
const onFill = []

/** The policy of the page allows HTML only from here: the text is the page's own. */
const trusted = globalThis.trustedTypes?.createPolicy('reference', { createHTML: (text) => text })

/** The parent of the elements, outside the page. */
function parse({ textContent }) {
  return new DOMParser().parseFromString(trusted?.createHTML(textContent) ?? textContent, 'text/html').body
}

const isFilled = (part) => part.firstElementChild?.localName !== 'noscript'
const contentOf = (part) => (isFilled(part) ? part : parse(part.firstElementChild))

function fill(part) {
  if (isFilled(part)) return
  part.replaceChildren(...contentOf(part).childNodes)
  for (const add of onFill) add(part)
}

function show(part, isOpen) {
  if (isOpen) fill(part)
  part.hidden = !isOpen
  toggles.get(part).setAttribute('aria-expanded', String(isOpen))
}

/** The part that a link leads to: below its heading, or around its target. */
function partOf(id) {
  if (partsById.has(id) || document.getElementById(id)) return partsById.get(id)
  return parts.find((part) => contentOf(part).querySelector(`#${CSS.escape(id)}`))
}

function targetId() {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

function openTarget() {
  const id = targetId()
  const part = id === '' ? undefined : partOf(id)
  if (!part?.hidden) return
  show(part, true)
  // The browser looked for the target before it was there.
  location.replace(location.hash)
}

for (const [id, part] of partsById) {
  const toggle = make('button', { type: 'button', class: 'toggle', 'aria-describedby': id }, 'Details')
  toggles.set(part, toggle)
  toggle.addEventListener('click', () => show(part, part.hidden))
  headingOf(part).after(make('span', { class: 'tools' }, toggle))
  show(part, false)
}

const everything = make('button', { type: 'button', class: 'toggle' }, 'Open all')
everything.addEventListener('click', () => {
  const isOpen = parts.some((part) => part.hidden)
  for (const part of parts) show(part, isOpen)
  everything.textContent = isOpen ? 'Close all' : 'Open all'
})
document.querySelector('.page-tools')?.append(everything)

addEventListener('hashchange', openTarget)
// Also if the address has this target already.
document.addEventListener('click', ({ target }) => {
  if (target.closest('a[href^="#"]')?.hash === location.hash) openTarget()
})
addEventListener('beforeprint', () => parts.forEach(fill))
openTarget()
