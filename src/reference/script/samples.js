/* Choosing a language at the top or for one sample chooses it for all, and each sample can be copied. */

const languages = document.querySelector('.page-tools .tabs')
let groups = 0

/** With the language that is chosen at the top. */
function tabsOfSample() {
  const tabs = languages.cloneNode(true)
  groups += 1
  for (const choice of all('input', tabs)) choice.name = `language-${groups}`
  return tabs
}

document.addEventListener('change', ({ target }) => {
  if (!target.matches('.tabs input')) return
  const before = target.getBoundingClientRect().top
  for (const choice of all('.tabs input')) choice.checked ||= choice.value === target.value
  scrollBy(0, target.getBoundingClientRect().top - before)
})

async function copy(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
  // Without TLS, except on localhost, there is no clipboard API.
  getSelection().selectAllChildren(code)
  if (!document.execCommand('copy')) throw new Error('not allowed')
}

function copyButton(codeOf, label) {
  const button = make('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${label}` }, 'Copy')
  button.addEventListener('click', async () => {
    const result = await copy(codeOf()).then(
      () => 'Copied',
      () => 'Not copied',
    )
    button.textContent = result
    announce(result)
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  return button
}

const isShown = (element) => element.checkVisibility?.() ?? element.offsetParent !== null

function prepare(root) {
  for (const figure of all('figure.code', root)) {
    const caption = figure.querySelector('figcaption')
    const label = caption.textContent.trim()
    const codes = all('code', figure).filter((code) => code.parentElement.localName === 'pre')
    if (codes.length > 1) caption.append(tabsOfSample())
    caption.append(copyButton(() => codes.find(isShown), label))
  }
}

prepare(document)
onFill.push(prepare)

for (const code of all('.prose pre > code')) {
  const pre = code.parentElement
  const frame = make('div', { class: 'copyable' })
  pre.replaceWith(frame)
  frame.append(
    pre,
    copyButton(() => code, 'code'),
  )
}
