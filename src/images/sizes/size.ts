import { choice, type Field } from '../../http/fields.ts'
import { integer } from '../../http/schema.ts'
import { errors } from '../errors.ts'
import { looksLike } from '../signatures.ts'

/** The types that can be read and written. */
export type ImageFormat = 'avif' | 'gif' | 'jpeg' | 'png' | 'webp'

const formats: readonly ImageFormat[] = ['jpeg', 'png', 'gif', 'webp', 'avif']

/** The type of a file that begins like this; null if it is another one. */
export const formatOf = (begin: Buffer): ImageFormat | null =>
  formats.find((each) => looksLike(`image/${each}`, begin)) ?? null

/** Whether sizes are made of images that are stored with this type. */
export const isSizable = (essence: string) => formats.some((each) => essence === `image/${each}`)

const chosenFormats = ['auto', 'avif', 'jpeg', 'png', 'webp'] as const
type ChosenFormat = (typeof chosenFormats)[number]

/** However many digits it has: above the largest width, it is the largest. */
const readWidth = (text: string) => (/^\d*[1-9]\d*$/.test(text) ? Number(text) : undefined)

const width: Field<number | undefined> = {
  schema: integer({
    minimum: 1,
    description:
      'The image at most this wide, upright and without metadata. Rounded up to the next of `IMAGE_WIDTHS`, or down to the largest; never enlarged',
    examples: [320],
  }),
  invalid: errors.badWidth,
  read: readWidth,
}

const allFields = {
  w: width,
  format: choice(chosenFormats, errors.badFormat, {
    description:
      "The type of the image; `auto`: AVIF or WebP where `Accept` names it and it is smaller. By default the image's own. Without `w`, at most the largest width",
  }),
}

/** Of every route that serves images or their URLs; none if there are no sizes, so that both are ignored. */
export const sizeFields = (hasSizes: boolean) => (hasSizes ? allFields : ({} as typeof allFields))

/** Of every route that serves images. */
export const sizeErrors = (hasSizes: boolean) => (hasSizes ? [errors.notResizable, errors.resizerBusy] : [])

export interface SizeQuery {
  readonly w?: number | undefined
  readonly format?: ChosenFormat | undefined
}

/** What a request asks for. */
export interface Size {
  /** One of the allowed widths; null if none was asked for. */
  readonly width: number | null
  readonly format: ChosenFormat | null
}

/** Null if the request asks for the image as stored. `widths` ascend. */
export function sizeOf({ w, format }: SizeQuery, widths: readonly number[]): Size | null {
  if (w === undefined && format === undefined) return null
  const width = w === undefined ? null : (widths.find((each) => each >= w) ?? largest(widths))
  return { width, format: format ?? null }
}

const largest = (widths: readonly number[]) => widths.at(-1) as number

/** The query of a URL that asks for the same. */
export function queryOf(size: Size | null): string {
  if (size === null) return ''
  const { width, format } = size
  return `?${[width && `w=${width}`, format && `format=${format}`].filter((each) => each !== null).join('&')}`
}

/** What is made for a request: the same variant for all requests that may get the same bytes. */
export interface Variant {
  /** Names it among the variants of an image. */
  readonly id: string
  readonly width: number
  /** The types of which the smallest is sent, for an image of this type. */
  readonly formatsFor: (own: ImageFormat) => readonly ImageFormat[]
}

export function variantOf({ width, format }: Size, accept: string | undefined, widths: readonly number[]): Variant {
  const most = width ?? largest(widths)
  if (format !== 'auto') return { id: `${most}-${format ?? 'own'}`, width: most, formatsFor: (own) => [format ?? own] }
  const accepted = (['avif', 'webp'] as const).filter((each) => isAccepted(accept, each))
  return {
    id: [most, 'auto', ...accepted].join('-'),
    width: most,
    formatsFor: (own) => (isModern(own) && accepted.length > 0 ? accepted : [...new Set([own, ...accepted])]),
  }
}

const isModern = (format: ImageFormat) => format === 'avif' || format === 'webp'

/** Only if it is named: programs that do not know a type send `*` too. */
const isAccepted = (accept = '', format: string) =>
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === `image/${format}` && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
  })
