import type { Api, CallOptions, Content, Options } from './api.ts'
import type { components } from './openapi.ts'

/** An editor completes the nine that every installation has; others are taken too. */
export type Kind = components['schemas']['ImageKind']
export type ImageDescriptor = components['schemas']['ImageDescriptor']

type Kinds = Kind | readonly Kind[]
type RandomPath = '/images/random' | '/images/{kind}/random'
type Call<T> = (path: RandomPath, options: CallOptions, content?: Content) => Promise<T>
type RandomOptions = Options<'get', '/images/{kind}/random', 'as' | 'count'>
type ListOptions = Options<'get', '/images/{kind}'>

export function createImages({ send, blob, get, post, pages }: Api) {
  /** One path for a kind, another for several or all. */
  const at = <T>(call: Call<T>, kinds: Kinds | undefined, options: CallOptions) =>
    typeof kinds === 'string'
      ? call('/images/{kind}/random', options, { params: { kind: kinds } })
      : call('/images/random', { ...options, kinds: kinds?.join() } as CallOptions)

  /** Of one kind, of several or of all; with a `count`, that many different ones. */
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
    report: post('/images/report'),
    /** By its `name`, such as `fox/dusk.png`. */
    get(name: string, options?: CallOptions): Promise<Blob> {
      const [folder = '', filename = ''] = name.split(/\/(.*)/s)
      return blob('/i/{folder}/{filename}', options, { params: { folder, filename } })
    },
  }
}
