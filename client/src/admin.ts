import type { Api, Body, CallOptions, Options, Reply } from './api.ts'
import { partsOf } from './images.ts'
import { fileOf, type OnProgress, type UploadBody } from './upload.ts'

/** Identifies a user; `userId` wins. */
export type Who = { readonly userId: string } | { readonly username: string }

export interface Destination {
  readonly bucketName: string
  readonly objectName: string
}

/** A condition; if it does not hold, the request fails with 412. */
export interface Precondition {
  /** The object has this ETag. */
  readonly ifMatch?: string | undefined
}

export interface UploadOptions extends CallOptions, Precondition {
  /** There is no object with that name. */
  readonly ifAbsent?: boolean | undefined
  /** The Blob's type by default. */
  readonly contentType?: string | undefined
  readonly onProgress?: OnProgress | undefined
}

export function createAdmin({ send, blob, get, post, pages }: Api) {
  const of =
    <P extends `/admin/user/${'ban' | 'search' | 'keys' | 'sessions' | 'embed'}`>(path: P) =>
    (who: Who, options?: CallOptions) =>
      send('get', path, { ...who, ...options })

  return {
    ban: post('/admin/ban'),
    unban: post('/admin/unban'),
    getBan: of('/admin/user/ban'),
    findUser: of('/admin/user/search'),
    createUser: post('/admin/user/create'),
    deleteUser: post('/admin/user/delete'),
    renameUser: post('/admin/user/edit/username'),
    changeRole: post('/admin/user/edit/role'),
    revokeToken: post('/admin/user/revoke-token'),
    resetPassword: post('/admin/user/reset-password'),
    userKeys: of('/admin/user/keys'),
    userSessions: of('/admin/user/sessions'),
    userEmbedLinks: of('/admin/user/embed'),
    revokeKey: (id: string, options?: CallOptions) =>
      send('delete', '/admin/user/keys/{id}', options, { params: { id } }),
    endSession: (id: string, options?: CallOptions) =>
      send('delete', '/admin/user/sessions/{id}', options, { params: { id } }),
    revokeEmbedLink: (id: string, options?: CallOptions) =>
      send('delete', '/admin/user/embed/{id}', options, { params: { id } }),
    users: (options?: Options<'get', '/admin/users'>) =>
      pages('/admin/users', ({ users }) => Object.values(users), options),
    dashboard: (options?: Options<'get', '/admin/users/dashboard'>) =>
      pages('/admin/users/dashboard', ({ users }) => users, options),
    auditEvents: (options?: Options<'get', '/admin/audit'>) => pages('/admin/audit', ({ events }) => events, options),
    usage: get('/admin/usage'),
    reports: (options?: Options<'get', '/admin/reports'>) => pages('/admin/reports', ({ reports }) => reports, options),
    resolveReport: (id: string, body: Body<'post', '/admin/reports/{id}/resolve'>, options?: CallOptions) =>
      send('post', '/admin/reports/{id}/resolve', options, { params: { id }, json: body }),
    duplicates: (options?: Options<'get', '/admin/images/duplicates'>) =>
      pages('/admin/images/duplicates', ({ duplicates }) => duplicates, options),
    /** Objects that are not images; none unless `CHOOSE_IMAGES_ONLY` is true. */
    setAside: (options?: Options<'get', '/admin/images/set-aside'>) =>
      pages('/admin/images/set-aside', ({ objects }) => objects, options),
    /** Files that are never served, and images of which no size can be made. */
    problems: get('/admin/images/problems'),
    /** Changes the given details; null removes one. */
    describeImage(name: string, details: Body<'patch', '/admin/images/{kind}/{file}'>, options?: CallOptions) {
      const { folder: kind, filename: file } = partsOf(name)
      return send('patch', '/admin/images/{kind}/{file}', options, { params: { kind, file }, json: details })
    },
    /** The names of hidden images. */
    hidden: (options?: Options<'get', '/admin/images/hidden'>) =>
      pages('/admin/images/hidden', ({ names }) => names, options),
    /** The bytes of an image, even if it is hidden. */
    imageBytes(name: string, options?: CallOptions): Promise<Blob> {
      const { folder: kind, filename: file } = partsOf(name)
      return blob('/admin/images/{kind}/{file}/bytes', options, { params: { kind, file } })
    },
    hide: post('/admin/images/hide'),
    unhide: post('/admin/images/unhide'),
    /** Gives an image, with its details and reports, another kind or file name. */
    move: post('/admin/images/move'),
    roles: get('/admin/users/roles'),
    service: get('/admin/service'),
  }
}

type Uploaded = Reply<'post', '/admin/s3/upload'> & {
  /** Another image with the same bytes. */
  readonly duplicateOf: string | null
  /** Why the object will never be chosen at random, or that it ends early. */
  readonly warning: string | null
}

export function createStore({ send, request, get }: Api) {
  return {
    test: get('/admin/s3/test'),
    upload(
      to: Destination,
      body: UploadBody,
      { contentType, onProgress, signal, ifMatch, ifAbsent }: UploadOptions = {},
    ) {
      const file = fileOf(body, contentType, onProgress)
      const headers = { ...preconditionOf(ifMatch), ...(ifAbsent && { 'if-none-match': '*' }) }
      return request(readUploaded, 'post', '/admin/s3/upload', { ...to, signal } as CallOptions, { file, headers })
    },
    delete: (
      object: Destination | { readonly bucketName: string; readonly etag: string },
      { ifMatch, ...options }: CallOptions & Precondition = {},
    ) => send('delete', '/admin/s3/delete', options, { json: object, headers: preconditionOf(ifMatch) }),
  }
}

async function readUploaded(response: Response): Promise<Uploaded> {
  const reply = (await response.json()) as Reply<'post', '/admin/s3/upload'>
  const { headers } = response
  return {
    ...reply,
    duplicateOf: headers.get('x-upload-duplicate-of'),
    warning: headers.get('x-upload-warning'),
  }
}

const preconditionOf = (etag: string | undefined): Record<string, string> =>
  etag === undefined ? {} : { 'if-match': `"${etag}"` }
