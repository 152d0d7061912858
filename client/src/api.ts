import { MenagerieError } from './error.ts'
import type { createHttp, File, Query, Read } from './http.ts'
import type { paths } from './openapi.ts'
import { type Pages, paginate } from './pages.ts'

/* Calls typed by the OpenAPI document: path, parameters, body and reply. */

export interface CallOptions {
  /** Aborts the call, its retries and the waits between them. */
  readonly signal?: AbortSignal | undefined
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Path<M extends Method> = { [P in keyof paths]: M extends keyof paths[P] ? P : never }[keyof paths]
type Operation<M extends Method, P extends Path<M>> = M extends keyof paths[P] ? paths[P][M] : never
type Json<T> = T extends { content: { 'application/json': infer Content } } ? Content : never

export type Body<M extends Method, P extends Path<M>> =
  Operation<M, P> extends { requestBody?: infer B } ? Json<NonNullable<B>> : never
export type Reply<M extends Method, P extends Path<M>> =
  Operation<M, P> extends { responses: infer R } ? Json<R[keyof R]> : never
type Search<O> = O extends { parameters: { query?: infer Q } } ? Given<NonNullable<Q>> : object
type Given<Q> = [Q] extends [never] ? object : Required<Q>
/** What the query has as names separated by commas may be a list, as in a body. */
type OrList<Name> = Name extends 'ids' | 'kinds' | 'tags' | 'without' ? readonly string[] : never
/** The query of a call, and its signal. */
export type Options<M extends Method, P extends Path<M>, Without extends string = never> = CallOptions & {
  readonly [Name in Exclude<keyof Search<Operation<M, P>>, Without>]?:
    | Search<Operation<M, P>>[Name]
    | OrList<Name>
    | undefined
}
type Page<P extends Path<'get'>> = Reply<'get', P> & { readonly next?: string | null }

export interface Content {
  /** Fills `{id}` and the like in the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly file?: File
}

export type Api = ReturnType<typeof createApi>

export function createApi(http: ReturnType<typeof createHttp>) {
  async function request<T>(
    read: Read<T>,
    method: Method | 'head',
    path: string,
    options: CallOptions = {},
    content: Content = {},
  ) {
    const { signal, ...query } = options as CallOptions & Query
    const { params = {}, ...body } = content
    const verb = method.toUpperCase()
    return http.request(verb, fill(verb, path, params), { query, signal, ...body }, read)
  }

  const send = <M extends Method, P extends Path<M>>(method: M, path: P, options?: CallOptions, content?: Content) =>
    request((response) => response.json() as Promise<Reply<M, P>>, method, path, options, content)

  return {
    send,
    /** For replies with something in their headers. */
    request,
    blob: (path: Path<'get'>, options?: CallOptions, content?: Content) =>
      request((response) => response.blob(), 'get', path, options, content),
    get:
      <P extends Path<'get'>>(path: P) =>
      (options?: Options<'get', P>): Promise<Reply<'get', P>> =>
        send('get', path, options),
    post:
      <P extends Path<'post'>>(path: P) =>
      (body: Body<'post', P>, options?: Options<'post', P>): Promise<Reply<'post', P>> =>
        send('post', path, options, { json: body }),
    pages<P extends Path<'get'>, Item>(
      path: P,
      itemsOf: (page: Page<P>) => readonly Item[],
      options?: CallOptions,
      content?: Content,
    ): Pages<Page<P>, Item> {
      const fetchPage = (cursor: string | undefined) =>
        send('get', path, { limit: 100, ...options, ...(cursor && { cursor }) } as CallOptions, content)
      return paginate(fetchPage as (cursor: string | undefined) => Promise<Page<P>>, itemsOf)
    },
  }
}

function fill(verb: string, path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // Each of these would result in a different path.
    if (value === '' || value === '.' || value === '..')
      throw new MenagerieError(`${verb} ${path}`, { status: 0, text: `${name} must not be '${value}'` })
    return encodeURIComponent(value)
  })
}
