import type { Api, CallOptions, Content, Options } from './api.ts'
import { MenagerieError } from './error.ts'
import type { components } from './openapi.ts'

/** Editors complete the nine kinds of every installation; others are accepted, too. */
export type Kind = components['schemas']['ImageKind']
export type ImageDescriptor = components['schemas']['ImageDescriptor']
export type ImageDetails = components['schemas']['ImageDetails']

export interface ImageHead {
  readonly etag: string
  /** In bytes. */
  readonly size: number
}

type Kinds = Kind | readonly Kind[]
type RandomPath = '/images/random' | '/images/{kind}/random'
type Call<T> = (path: RandomPath, options: CallOptions, content?: Content) => Promise<T>
type RandomOptions = Options<'get', '/images/{kind}/random', 'as' | 'count'>
type ListOptions = Options<'get', '/images/{kind}'>
type SizeOptions = Options<'get', '/i/{folder}/{filename}'>

export function createImages({ send, request, blob, get, post, pages }: Api) {
  /** A single kind has its own path; several or all share another. */
  const at = <T>(call: Call<T>, kinds: Kinds | undefined, options: CallOptions) =>
    typeof kinds === 'string'
      ? call('/images/{kind}/random', options, { params: { kind: kinds } })
      : call('/images/random', { ...options, kinds: kinds?.join() } as CallOptions)

  /** A random image of one, several or all kinds; with a `count`, that many distinct ones. */
  function random(kinds?: Kinds, options?: RandomOptions & { readonly count?: undefined }): Promise<ImageDescriptor>
  function random(
    kinds: Kinds | undefined,
    options: RandomOptions & { readonly count: number },
  ): Promise<ImageDescriptor[]>
  async function random(kinds?: Kinds, options: RandomOptions = {}) {
    const found = await at((...args) => send('get', ...args), kinds, options)
    return 'images' in found ? found.images : found
  }

  return {
    kinds: get('/images'),
    random,
    randomBytes: (kinds?: Kinds, options: RandomOptions = {}): Promise<Blob> =>
      at(blob, kinds, { ...options, as: 'bytes' } as CallOptions),
    list: (kind: Kind, options?: ListOptions) =>
      pages('/images/{kind}', ({ images }) => images, options, { params: { kind } }),
    /** How many images have each tag, the most frequent first. */
    tags: (options?: Options<'get', '/images/tags'>) => pages('/images/tags', ({ tags }) => tags, options),
    /** Everything that is known of an image, by its `name`. */
    describe(name: string, options?: CallOptions) {
      const { folder: kind, filename: file } = partsOf(name)
      return send('get', '/images/{kind}/{file}', options, { params: { kind, file } })
    },
    report: post('/images/report'),
    /** By its `name`, such as `fox/dusk.png`; as stored, or in the given size. */
    get: (name: string, options?: SizeOptions): Promise<Blob> => blob(path, options, { params: partsOf(name) }),
    /** The stored version, bypassing every cache; null if there is none. */
    async head(name: string, options?: CallOptions): Promise<ImageHead | null> {
      try {
        return await request(async ({ headers }) => headOf(headers), 'head', path, options, { params: partsOf(name) })
      } catch (error) {
        if (error instanceof MenagerieError && error.status === 404) return null
        throw error
      }
    },
  }
}

const path = '/i/{folder}/{filename}'

export function partsOf(name: string) {
  const [folder = '', filename = ''] = name.split(/\/(.*)/s)
  return { folder, filename }
}

const headOf = (headers: Headers): ImageHead => ({
  etag: (headers.get('etag') ?? '').replace(/^"(.*)"$/, '$1'),
  size: Number(headers.get('content-length')),
})
