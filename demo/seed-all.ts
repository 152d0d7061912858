import { seedAccounts } from './accounts.ts'
import { createChance } from './chance.ts'
import { extraKind, seedImages } from './images.ts'
import { publicComponents, seedStatus } from './status.ts'
import type { Member } from './world.ts'

export { wellComponents } from './status.ts'

export const password = 'menagerie demo'

export const demoEnv = { IMAGE_KINDS_EXTRA: extraKind, STATUS_PAGE_COMPONENTS: publicComponents }

interface Terms {
  readonly dataDir: string
  readonly seed: number
  readonly now: number
}

/** Writes images, accounts and the history of the status worker up to `now`. */
export async function seedAll({ dataDir, seed, now }: Terms): Promise<readonly Member[]> {
  const terms = { dataDir, password, chance: createChance(seed), now }
  const images = seedImages(dataDir, terms)
  const members = await seedAccounts({ ...terms, images })
  await seedStatus(terms)
  return members
}
