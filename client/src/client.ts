import { createAdmin, createStore } from './admin.ts'
import { createApi } from './api.ts'
import { createAuth, createConsole } from './auth.ts'
import { createHttp, type HttpOptions } from './http.ts'
import { createImages } from './images.ts'
import type { components } from './openapi.ts'
import { createStatus } from './status.ts'

export type { Destination, UploadOptions, Who } from './admin.ts'
export type { CallOptions } from './api.ts'
export { type Envelope, MenagerieError } from './error.ts'
export type { HttpOptions as ClientOptions } from './http.ts'
export type { ImageDescriptor, ImageDetails, ImageHead, Kind } from './images.ts'
export type { Pages } from './pages.ts'
export type { OnProgress, Progress, UploadBody } from './upload.ts'

/** The bodies and replies of the service by name, such as `Schemas['User']`. */
export type Schemas = components['schemas']

export type Client = ReturnType<typeof createClient>

export function createClient(options: HttpOptions) {
  const http = createHttp(options)
  const api = createApi(http)
  // These tell whether the service is healthy, so a failure is a reply, too.
  const probe = createApi(createHttp({ ...options, token: undefined, retries: 0 }))
  return {
    /** The token of the signed-in user, to be kept for the next client. */
    get token() {
      return http.token
    },
    auth: createAuth(api, http),
    console: createConsole(api),
    images: createImages(api),
    admin: createAdmin(api),
    store: createStore(api),
    status: createStatus(api),
    health: probe.get('/health'),
    ready: probe.get('/ready'),
  }
}
