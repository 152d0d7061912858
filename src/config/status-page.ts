import { choice } from './formats.ts'
import { type Format, setting } from './parser.ts'

export interface PublicComponent {
  readonly id: string
  readonly label: string
  readonly group: string | null
}

const maxComponents = 30
const maxLength = 40
const isName = (text: string) => text.length <= maxLength && !/[\p{C}[\p{Z}--[ ]]]/v.test(text)

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

export const statusPage = {
  STATUS_PAGE: setting({
    format: choice(['on', 'off']),
    default: 'on',
    help: 'With off, the API has no public status page: /status, /status.json, /status.atom and the badges are unmatched paths.',
  }),
  STATUS_PAGE_COMPONENTS: setting({
    format: publicComponents,
    default: null,
    help: 'What the status page shows: components of the status worker with their label and group, such as api=Website/Frontend, db=Database/Storage. These names are public. Unset: none.',
  }),
}
