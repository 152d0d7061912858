/** What a page shows until the image has arrived. */
export interface Look {
  /** Its main colour, `#rrggbb`. */
  readonly color: string
  /** In base64. */
  readonly thumbhash: string
}

/** Of the version with this ETag. */
export interface KnownLook extends Look {
  readonly etag: string
}

/** More are not read at a time. */
export const maxUndecodable = 1_000

/** No size can be made of the version with this ETag. */
export interface Undecodable {
  readonly name: string
  readonly etag: string
}

/**
 * The port of the looks of images, and of those that cannot be decoded, which all instances share. Throws Unavailable if
 * the database is down.
 */
export interface Looks {
  /** By name; without those that are not known. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, KnownLook>>
  /** The first one that is saved for a version stays, which is no longer undecodable. */
  save(name: string, look: KnownLook): Promise<void>
  /** Names, sorted, from the first after `after`. */
  names(after: string, limit: number): Promise<readonly string[]>
  remove(names: readonly string[]): Promise<void>
  /** The first by name, also of versions that have been replaced or deleted. */
  undecodable(limit: number): Promise<readonly Undecodable[]>
  saveUndecodable(image: Undecodable): Promise<void>
  removeUndecodable(names: readonly string[]): Promise<void>
}

/** For a program that decodes no images. */
export const noLooks: Looks = {
  find: async () => new Map(),
  save: async () => {},
  names: async () => [],
  remove: async () => {},
  undecodable: async () => [],
  saveUndecodable: async () => {},
  removeUndecodable: async () => {},
}

const base64 = /^[A-Za-z0-9+/]{4,40}={0,2}$/

/** What decodes hostile images is not trusted. */
export const isLook = (look: Look): boolean => /^#[0-9a-f]{6}$/.test(look.color) && base64.test(look.thumbhash)

/** For a description of the version with this ETag. */
export const shownLook = (known: KnownLook | undefined, etag: string) =>
  known?.etag === etag ? { color: known.color, thumbhash: known.thumbhash } : {}
