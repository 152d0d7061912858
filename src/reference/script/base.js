/* The scripts of the page, joined in the order of documents.ts. They write only text and attributes, never HTML. */

// biome-ignore lint/correctness/noUnusedVariables: the other parts use it
const all = (selector, root = document) => [...root.querySelectorAll(selector)]

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const status = make('p', { class: 'unseen', role: 'status' })
document.body.append(status)

/** For screen readers. */
// biome-ignore lint/correctness/noUnusedVariables: the other parts use it
const announce = (text) => {
  status.textContent = text
}
