import { contrastToWhite } from '../lib/contrast.ts'
import { choice, logoPath, pageUrl } from './formats.ts'
import { type Format, setting } from './parser.ts'

export interface PublicComponent {
  readonly id: string
  readonly label: string
  readonly group: string | null
}

const maxComponents = 200
const maxLength = 40
const isOneLine = (text: string) => !/[\p{C}[\p{Z}--[ ]]]/v.test(text)
const isName = (text: string) => text.length <= maxLength && isOneLine(text)

export const publicComponents: Format<readonly PublicComponent[]> = {
  expected: `comma-separated components with label and group, such as api=Website/Frontend, db=Database/Storage, each component once, at most ${maxComponents}, labels and groups of at most ${maxLength} characters`,
  read(value) {
    const found = value.split(',').map((part) => {
      const [, id = '', label = id, group = null] =
        /^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})\s*(?:=\s*([^=/]*[^=/\s])\s*(?:\/\s*([^=/]*[^=/\s])\s*)?)?$/.exec(part) ??
        []
      return { id, label, group }
    })
    const isValid = found.every(
      ({ id, label, group }) => id !== '' && (label === id || isName(label)) && isName(group ?? ''),
    )
    const ids = new Set(found.map(({ id }) => id))
    return isValid && ids.size === found.length && ids.size <= maxComponents ? found : undefined
  },
}

export const oneLine = (max: number): Format<string> => ({
  expected: `one line of at most ${max} characters`,
  read(value) {
    const text = value.trim()
    return text !== '' && text.length <= max && isOneLine(text) ? text : undefined
  },
})

const minContrast = 4.5
const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** The ground of white text, so it is the same in a light and a dark scheme. */
const pageColor: Format<string> = {
  expected: `a color such as #0a6652, on which white text has a contrast of at least ${minContrast} : 1`,
  read: (value) => (isColor(value) && contrastToWhite(value) >= minContrast ? value.toLowerCase() : undefined),
  explain: (value) =>
    isColor(value) ? `, on which it has ${(Math.floor(contrastToWhite(value) * 100) / 100).toFixed(2)} : 1` : '',
}

export const statusPage = {
  STATUS_PAGE: setting({
    format: choice(['on', 'off']),
    default: 'on',
    help: 'With off, the API has no public status page: /status, everything below it, /status.json, /status.atom and /api/v2/ are unmatched paths.',
  }),
  STATUS_PAGE_COMPONENTS: setting({
    format: publicComponents,
    default: null,
    help: 'What the status page shows: components of the status worker with their label and group, such as api=Website/Frontend, db=Database/Storage. These names are public. Unset: none.',
  }),
  STATUS_PAGE_TITLE: setting({
    format: oneLine(60),
    default: null,
    shownDefault: 'Status',
    help: 'Title of the status page, its feed and its calendar, such as the name of your service.',
  }),
  STATUS_PAGE_DESCRIPTION: setting({
    format: oneLine(300),
    default: null,
    help: 'A sentence below the title of the status page, also for search engines.',
  }),
  STATUS_PAGE_LOGO: setting({
    format: logoPath,
    default: null,
    help: 'A PNG or WebP file of at most 256 KiB, shown beside the title of the status page. Read at the start.',
  }),
  STATUS_PAGE_LINK: setting({
    format: pageUrl,
    default: null,
    shownDefault: 'the status page',
    help: 'Where the title of the status page leads: the URL of your service.',
  }),
  STATUS_PAGE_COLOR: setting({
    format: pageColor,
    default: null,
    help: 'Color of the top of the status page, such as #0a6652. Its text is white, so a color with a contrast under 4.5 : 1 is refused.',
  }),
}
