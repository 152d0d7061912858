/* Sends a GET request from the page. The token is only in this variable and its inputs, and stored nowhere. */

const maxShownBytes = 100_000
let token = ''

function field(label, attributes) {
  const input = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes })
  return [input, make('label', {}, make('span', {}, label), input)]
}

function tokenField() {
  const [input, label] = field('Access token', {
    class: 'token',
    placeholder: 'of POST /auth/login, or an API key',
  })
  input.value = token
  input.addEventListener('input', () => {
    token = input.value
    for (const other of all('.try .token')) other.value = token
  })
  const from = 'Only reads can be tried here: send the login from a terminal, or create an API key in the console.'
  return [label, make('p', { class: 'note' }, from)]
}

/** The fields of the route, by the list that contains them. */
function fieldsOf(article) {
  const example = article.dataset.try.split('/')
  const template = article.querySelector('.path').textContent.split('/')
  const exampleOf = (name) => decodeURIComponent(example[template.indexOf(`{${name}}`)] ?? '')
  return all('.fields[data-in]', article).flatMap((list) =>
    all('.field-head > code', list).map((code) => {
      const name = code.textContent
      const [input, label] = field(name, { placeholder: code.closest('li').dataset.values ?? '' })
      if (list.dataset.in === 'path') input.value = exampleOf(name)
      return { place: list.dataset.in, name, input, label }
    }),
  )
}

/** Relative to this page, which may be served under a prefix. */
function urlOf(article, fields) {
  const of = (place) => fields.filter((each) => each.place === place)
  const path = of('path').reduce(
    (text, { name, input }) => text.replace(`{${name}}`, encodeURIComponent(input.value)),
    article.querySelector('.path').textContent,
  )
  const url = new URL(`.${path}`, document.baseURI)
  for (const { name, input } of of('query')) if (input.value !== '') url.searchParams.append(name, input.value)
  return url
}

async function readBody(response) {
  const chunks = []
  let size = 0
  if (response.body) {
    const reader = response.body.getReader()
    for (let next = await reader.read(); !next.done && size < maxShownBytes; next = await reader.read()) {
      chunks.push(next.value)
      size += next.value.length
    }
    await reader.cancel()
  }
  return { blob: new Blob(chunks), isCut: size >= maxShownBytes }
}

async function bodyOf(response) {
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('image/')) {
    const image = make('img', { alt: 'The image of the response' })
    image.src = URL.createObjectURL(await response.blob())
    image.addEventListener('load', () => URL.revokeObjectURL(image.src))
    return image
  }
  const { blob, isCut } = await readBody(response)
  const text = await blob.text()
  const isWhole = type.startsWith('application/json') && !isCut && text !== ''
  const shown = isWhole ? JSON.stringify(JSON.parse(text), null, 2) : text
  return make(
    'pre',
    { tabindex: '0', role: 'region', 'aria-label': 'Response' },
    make('code', {}, isCut ? `${shown}\n… cut off here` : shown),
  )
}

async function send(url, needsToken) {
  const given = token.trim()
  const headers = needsToken && given ? { Authorization: /^Bearer /i.test(given) ? given : `Bearer ${given}` } : {}
  const started = performance.now()
  try {
    const response = await fetch(url, { headers, cache: 'no-store', credentials: 'omit' })
    const ms = Math.round(performance.now() - started)
    const head = `${response.status} ${response.statusText} · ${ms} ms · ${response.headers.get('Content-Type') ?? 'no body'}`
    return [make('p', { class: 'note' }, head), await bodyOf(response)]
  } catch (error) {
    return [make('p', { class: 'note' }, `No response: ${error.message}`)]
  }
}

function makeForm(article) {
  const fields = fieldsOf(article)
  const needsToken = article.dataset.token !== undefined
  const button = make('button', { class: 'send' }, 'Send')
  const output = make('div', { class: 'response' })
  const labels = fields.map(({ label }) => label)
  const form = make('form', {}, ...labels, ...(needsToken ? tokenField() : []), button)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    const parts = await send(urlOf(article, fields), needsToken)
    output.replaceChildren(...parts)
    output.scrollIntoView({ block: 'nearest' })
    announce(parts[0].textContent)
    button.disabled = false
  })
  return make(
    'div',
    { class: 'try', role: 'group', 'aria-label': `Try ${article.querySelector('.path').textContent}` },
    form,
    output,
  )
}

/** The fields are those that the route lists, so it is opened first. */
function tryIt(article, part) {
  show(part, true)
  if (!part.querySelector('.try')) part.prepend(makeForm(article))
  part.querySelector('.try :is(input, button)').focus()
}

function tryButton(article, text) {
  const part = article.querySelector('.later')
  const describedBy = headingOf(part).id
  const button = make('button', { type: 'button', class: 'toggle try-it', 'aria-describedby': describedBy }, text)
  button.addEventListener('click', () => tryIt(article, part))
  return button
}

for (const article of all('.route[data-try]')) {
  article.querySelector('.tools').prepend(tryButton(article, 'Try it'))
  // Where one looks first.
  if (article.dataset.try === '/images/fox/random')
    document.querySelector('.page-tools > .toggle').before(tryButton(article, 'Try a random image'))
}
