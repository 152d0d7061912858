/* Choosing a language for one sample chooses it for all, and each sample can be copied. */

const choices = all('.tabs input')
for (const choice of choices)
  choice.addEventListener('change', () => {
    const before = choice.getBoundingClientRect().top
    for (const other of choices) other.checked ||= other.value === choice.value
    scrollBy(0, choice.getBoundingClientRect().top - before)
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

for (const figure of all('figure.code')) {
  const caption = figure.querySelector('figcaption')
  const codes = all('code', figure).filter((code) => code.parentElement.localName === 'pre')
  caption.append(copyButton(() => codes.find(isShown), caption.firstChild.textContent.trim()))
}

for (const code of all('.prose pre > code')) {
  const pre = code.parentElement
  const frame = make('div', { class: 'copyable' })
  pre.replaceWith(frame)
  frame.append(
    pre,
    copyButton(() => code, 'code'),
  )
}
