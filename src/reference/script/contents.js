/* Marks the section in view in the sidebar. */

const side = document.querySelector('.side')
const links = new Map(all('a[href^="#"]', side).map((link) => [sectionOf(link), link]))
const sections = [...links.keys()]
let marked = null
let isPlanned = false

/** The whole route, since a browser would have to lay it out to tell where its heading is. */
function sectionOf({ hash }) {
  const heading = document.getElementById(decodeURIComponent(hash.slice(1)))
  return heading.closest('.route') ?? heading
}

function markSection() {
  isPlanned = false
  const { scrollHeight } = document.documentElement
  const isEnd = innerHeight + scrollY >= scrollHeight - 2 && scrollY > 0
  const line = isEnd ? innerHeight : Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 8
  const current = links.get(sections.findLast((section) => section.getBoundingClientRect().top <= line) ?? sections[0])
  if (current === marked) return
  marked?.removeAttribute('aria-current')
  current?.setAttribute('aria-current', 'location')
  marked = current
  if (!current) return
  const { offsetTop, offsetHeight } = current
  const isShown = offsetTop >= side.scrollTop && offsetTop + offsetHeight <= side.scrollTop + side.clientHeight
  if (!isShown) side.scrollTop = offsetTop - side.clientHeight / 2
}

function planMark() {
  if (!isPlanned) requestAnimationFrame(markSection)
  isPlanned = true
}

const onPhone = document.querySelector('.phone-contents')
onPhone.addEventListener('toggle', () => fill(onPhone.querySelector('nav')), { once: true })

addEventListener('scroll', planMark, { passive: true })
addEventListener('resize', planMark)
markSection()
