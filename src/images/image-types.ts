/** Raster image types, none of which can run scripts, with their file extensions. */
const raster: Readonly<Record<string, readonly string[]>> = {
  'image/apng': ['apng'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/gif': ['gif'],
  'image/heic': ['heic'],
  'image/heif': ['heif'],
  'image/jp2': ['jp2'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/jxl': ['jxl'],
  'image/png': ['png'],
  'image/qoi': ['qoi'],
  'image/tiff': ['tif', 'tiff'],
  'image/vnd.microsoft.icon': ['ico'],
  'image/webp': ['webp'],
}

/** Other names, and types whose files begin in the same way. */
const otherNames: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.mozilla.apng': 'image/png',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-png': 'image/png',
}
/** Other files that may lie among the images. */
const others = { 'image/svg+xml': ['svg'], 'text/html': ['html', 'htm'] }

const rasterNames = new Set([...Object.keys(raster), ...Object.keys(otherNames)])
const byEnding = new Map(
  Object.entries({ ...raster, ...others }).flatMap(([type, endings]) =>
    endings.map((ending) => [ending, type] as const),
  ),
)

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"'
/** One media type by RFC 9110, with or without parameters. */
const mediaType = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`)

export const isMediaType = (text: string) => mediaType.test(text)

/** Type and subtype, in lower case. */
export const essenceOf = (type: string) => type.replace(/[ \t]*;.*/s, '').toLowerCase()

/** One name for all types that can be told apart only by what they are called. */
export const commonNameOf = (type: string) => otherNames[essenceOf(type)] ?? essenceOf(type)

export const isRaster = (type: string) => rasterNames.has(essenceOf(type))

export const typeOfFile = (name: string): string | null =>
  byEnding.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null

/** The endings of the names of such files, the usual one first. */
export const endingsOf = (type: string): readonly string[] => raster[commonNameOf(type)] ?? []
