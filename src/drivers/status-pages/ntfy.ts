import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor } from './alert-vendor.ts'
import { inHeader } from './escape.ts'
import { makePage } from './make-page.ts'
import { badUrl, type StatusPageOptions, visibleAscii } from './options.ts'

/** A topic of an ntfy server; on a public one its name is the secret. The token is optional. */
export function openNtfy(options: StatusPageOptions): StatusPage {
  const { url, prefix, token } = options
  const topic = new URL(url).pathname.split('/').at(-1) ?? ''
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(topic)) throw badUrl(options, 'the URL of a topic, https://ntfy.sh/<topic>')
  const auth = token === null ? {} : { Authorization: `Bearer ${visibleAscii(token, `${prefix}_TOKEN`)}` }
  const vendor = alertVendor(options, {
    kind: 'ntfy',
    secrets: [topic, ...(token === null ? [] : [token])],
    requestFor: ({ title, text, isDown }) => ({
      method: 'POST',
      url,
      headers: {
        'Content-Type': 'text/plain',
        Title: inHeader(title),
        Priority: isDown ? 'high' : 'default',
        Tags: isDown ? 'rotating_light' : 'white_check_mark',
        ...auth,
      },
      body: text,
    }),
  })
  return makePage(vendor, options)
}
