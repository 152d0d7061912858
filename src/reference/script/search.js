/* Searches headings, routes and settings, with the text below them. */

const maxResults = 30
const isHeading = (element) => /^h[2-4]$/i.test(element.tagName)

/** Keeps the texts of neighbouring elements apart. */
function plainText(element) {
  const texts = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode.data)
  return texts
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;:)])/g, '$1')
    .trim()
}

const headingText = (heading) => plainText(heading).replace(/ #$/, '')

function textUnder(heading) {
  const texts = []
  for (let next = heading.nextElementSibling; next && !isHeading(next); next = next.nextElementSibling)
    if (!next.matches('.route, .later, .part-head, .tools')) texts.push(plainText(next))
  return texts.join(' ')
}

function entry(id, title, text, chapter) {
  return { id, title, text, chapter, inTitle: title.toLowerCase(), inAll: `${title} ${text}`.toLowerCase() }
}

/** Without the form that tries a route. */
const textOf = (content) => plainText(content.querySelector('.route-columns') ?? content)

/** The heading, with the text of its part; or each setting of its part. */
function entriesOf(heading, chapter) {
  const title = headingText(heading)
  const part = partsById.get(heading.id)
  const content = part && contentOf(part)
  const settings = content ? all('.settings > div[id]', content) : []
  const text = content && settings.length === 0 ? textOf(content) : ''
  return [
    entry(heading.id, title, `${textUnder(heading)} ${text}`.trim(), chapter),
    ...settings.map((each) => entry(each.id, each.id, plainText(each.querySelector('dd')), chapter)),
  ]
}

function indexPage() {
  let chapter = ''
  return all('main :is(h2, h3, h4)[id]').flatMap((heading) => {
    if (heading.localName !== 'h2') return entriesOf(heading, chapter)
    chapter = headingText(heading)
    return entriesOf(heading, '')
  })
}

let index = null

function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  index ??= indexPage()
  const phrase = words.join(' ')
  // The text of a route begins with what it does.
  const rank = ({ inTitle, inAll }) =>
    inTitle === phrase || inAll.startsWith(phrase, inTitle.length + 1)
      ? 0
      : words.every((word) => inTitle.includes(word))
        ? 1
        : 2
  return index
    .filter(({ inAll }) => words.every((word) => inAll.includes(word)))
    .map((found) => ({ ...found, rank: rank(found), excerpt: excerptOf(found, words) }))
    .sort((a, b) => a.rank - b.rank)
}

function excerptOf({ text, inTitle }, words) {
  const word = words.find((each) => !inTitle.includes(each))
  const at = word === undefined ? 0 : Math.max(0, text.toLowerCase().indexOf(word) - 30)
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 100)}`
}

const input = make('input', {
  type: 'search',
  placeholder: 'Search  /',
  'aria-label': 'Search the reference',
  'aria-keyshortcuts': '/',
  autocomplete: 'off',
  spellcheck: 'false',
})
const results = make('ul', { class: 'results', 'aria-label': 'Results', hidden: '' })
const search = make('div', { class: 'search', role: 'search' }, input, results)
document.querySelector('.brand').after(search)

function showResults() {
  const found = find(input.value)
  const shown = found.slice(0, maxResults).map(({ id, title, chapter, excerpt }) => {
    const where = make('span', { class: 'note' }, chapter && `${chapter}: `, excerpt)
    return make('li', {}, make('a', { href: `#${encodeURIComponent(id)}` }, make('strong', {}, title), where))
  })
  const isEmpty = input.value.trim() === ''
  results.replaceChildren(
    ...(shown.length > 0 || isEmpty ? shown : [make('li', { class: 'nothing' }, 'Nothing found')]),
  )
  results.hidden = isEmpty
  announce(isEmpty ? '' : `${found.length} found`)
}

function close() {
  results.hidden = true
}

/** Up from the first result leads back to the input. */
function step(by) {
  const stops = [input, ...all('a', results)]
  stops[stops.indexOf(document.activeElement) + by]?.focus()
}

const keys = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Escape() {
    close()
    input.value = ''
    input.focus()
  },
  Enter: () => document.activeElement === input && results.querySelector('a')?.click(),
}

input.addEventListener('input', showResults)
input.addEventListener('focus', () => input.value && showResults())
results.addEventListener('click', ({ target }) => target.closest('a') && close())
search.addEventListener('focusout', ({ relatedTarget }) => search.contains(relatedTarget) || close())
search.addEventListener('keydown', (event) => {
  const act = keys[event.key]
  if (!act || event.isComposing || (event.key === 'Enter' && event.target !== input)) return
  event.preventDefault()
  act()
})
addEventListener('keydown', (event) => {
  const isTyping = event.target.matches?.('input:not([type="radio"]), textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
  input.select()
})
