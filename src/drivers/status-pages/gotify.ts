import type { StatusPage } from '../../status/status-page.ts'
import { alertVendor } from './alert-vendor.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badUrl, bearerToken, type StatusPageOptions } from './options.ts'

/** Gotify's priorities: from 8 a phone rings, from 4 it makes a sound. */
const [high, normal] = [8, 4]

/** A Gotify server; the token is an application's. */
export function openGotify(options: StatusPageOptions): StatusPage {
  const { url } = options
  const token = bearerToken(options, 'gotify needs the token of an application')
  if (/\/message$/.test(url)) throw badUrl(options, "Gotify's address without /message")
  const vendor = alertVendor(options, {
    kind: 'gotify',
    secrets: [token],
    requestFor: ({ title, text, isDown }) => ({
      method: 'POST',
      url: `${url}/message`,
      headers: { ...jsonHeaders, 'X-Gotify-Key': token },
      body: JSON.stringify({ title, message: text, priority: isDown ? high : normal }),
    }),
  })
  return makePage(vendor, options)
}
