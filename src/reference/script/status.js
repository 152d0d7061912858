/* Shows the times of a page of the status in the visitor's time zone. It writes only text, never HTML. */

const { lang } = document.documentElement
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
const locale = navigator.languages.find((each) => each.split('-')[0] === lang) ?? lang
const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

for (const time of document.querySelectorAll('time')) {
  time.title = time.textContent
  time.textContent = format.format(new Date(time.dateTime))
}
for (const zone of document.querySelectorAll('[data-zone]'))
  zone.textContent = zone.dataset.zone.replace('{zone}', timeZone)
