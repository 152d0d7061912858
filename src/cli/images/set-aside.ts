import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sourceOf } from '../../api/image-store.ts'
import type { Config } from '../../config/config.ts'
import { BadDatabase } from '../../drivers/accounts/database.ts'
import { openCatalogue } from '../../drivers/catalogue/catalogue.ts'
import { fileName } from '../../drivers/catalogue/catalogue-file.ts'
import type { Catalogue, Fault } from '../../images/catalogue.ts'
import { counted } from '../amounts.ts'

const maxShown = 20

const reasons: Readonly<Record<Fault, string>> = {
  bytes: 'its first bytes are not those of a known type of image',
  type: 'its type is not image/*',
}

/** What is left out of the pool with CHOOSE_IMAGES_ONLY=true. */
export class SetAsideReport {
  readonly #isOn: boolean
  readonly #objects: { readonly name: string; readonly fault: Fault }[] = []
  #unread = 0

  constructor({ CHOOSE_IMAGES_ONLY }: Config) {
    this.#isOn = CHOOSE_IMAGES_ONLY
  }

  /** Undefined: not read yet. */
  add(name: string, fault: Fault | null | undefined): void {
    if (fault === undefined) this.#unread++
    else if (fault !== null) this.#objects.push({ name, fault })
  }

  document() {
    return this.#isOn ? { count: this.#objects.length, objects: this.#sorted(), unread: this.#unread } : null
  }

  lines(): string[] {
    if (!this.#isOn) return []
    const objects = this.#sorted()
    const more = objects.length - maxShown
    const unread = `${counted(this.#unread, 'object')} not read yet; images verify reads all of them.`
    return [
      `Never chosen, since they are not images (CHOOSE_IMAGES_ONLY): ${objects.length}.`,
      ...objects.slice(0, maxShown).map(({ name, fault }) => `  ${name}: ${reasons[fault]}`),
      ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
      ...(this.#unread > 0 ? [unread] : []),
    ]
  }

  #sorted = () => this.#objects.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The catalogue of the service on this machine; null if it has no usable one. */
export function openCatalogueAsIs(config: Config): Catalogue | null {
  const { DATA_DIR: dataDir, CHOOSE_IMAGES_ONLY: imagesOnly, imageKinds: kinds } = config
  if (!existsSync(join(dataDir, fileName))) return null
  try {
    const source = sourceOf(config)
    return openCatalogue({ dataDir, source, kinds, imagesOnly, mayReplace: false, random: Math.random })
  } catch (error) {
    if (error instanceof BadDatabase) return null
    throw error
  }
}
