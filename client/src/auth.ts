import type { Api, Body, CallOptions } from './api.ts'
import type { createHttp } from './http.ts'
import type { components } from './openapi.ts'

type Session = components['schemas']['Session']

/** After signing in, further calls are that user's. */
export function createAuth({ send, get, post }: Api, http: ReturnType<typeof createHttp>) {
  const signIn =
    <P extends '/auth/register' | '/auth/login'>(path: P) =>
    async (body: Body<'post', P>, options?: CallOptions) => {
      const session: Session = await send('post', path, options, { json: body })
      http.token = session.accessToken
      return session
    }

  return {
    register: signIn('/auth/register'),
    login: signIn('/auth/login'),
    me: get('/auth/me'),
    usage: get('/auth/usage'),
    async logout(options?: CallOptions) {
      const done = await send('post', '/auth/logout', options)
      http.token = undefined
      return done
    },
    /** The new token replaces the current one, if there is one. */
    async changePassword(body: Body<'post', '/auth/password'>, options?: CallOptions) {
      const session: Session = await send('post', '/auth/password', options, { json: body })
      if (http.token !== undefined) http.token = session.accessToken
      return session
    },
    deleteAccount: post('/auth/delete'),
    /** Links for `<img>`, Markdown and photo frames, which need no token. */
    embed: {
      create: post('/auth/embed'),
      list: get('/auth/embed'),
      revoke: (id: string, options?: CallOptions) => send('delete', '/auth/embed/{id}', options, { params: { id } }),
    },
    keys: {
      create: post('/auth/keys'),
      list: get('/auth/keys'),
      /** A new secret for the same key. */
      rotate: (id: string, { signal, ...json }: CallOptions & Body<'post', '/auth/keys/{id}/rotate'> = {}) =>
        send('post', '/auth/keys/{id}/rotate', { signal }, { params: { id }, json }),
      revoke: (id: string, options?: CallOptions) => send('delete', '/auth/keys/{id}', options, { params: { id } }),
    },
    /** Sign-ins to the console, in browsers. */
    sessions: {
      list: get('/auth/sessions'),
      end: (id: string, { signal, ...json }: CallOptions & Body<'delete', '/auth/sessions/{id}'> = {}) =>
        send('delete', '/auth/sessions/{id}', { signal }, { params: { id }, json }),
    },
  }
}

/** For pages of the service's own origin: the browser keeps the session in a cookie, and no script sees it. */
export const createConsole = ({ send, post }: Api) => ({
  signIn: post('/console/session'),
  signOut: (options?: CallOptions) => send('delete', '/console/session', options),
  /** Only on the machine of the service, and while there is no owner. */
  createFirstOwner: post('/console/owner'),
})
