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

const aliases = ['image/jpg', 'image/pjpeg', 'image/vnd.mozilla.apng', 'image/x-icon', 'image/x-ms-bmp', 'image/x-png']
/** Other files that may lie among the images. */
const others = { 'image/svg+xml': ['svg'], 'text/html': ['html', 'htm'] }

const rasterNames = new Set([...Object.keys(raster), ...aliases])
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

export const isRaster = (type: string) => rasterNames.has(essenceOf(type))

export const typeOfFile = (name: string): string | null =>
  byEnding.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null
