import { createKey } from '../src/accounts/change-keys.ts'
import { linkDetails } from '../src/accounts/embed-acts.ts'
import { keyScopes } from '../src/accounts/keys.ts'
import { dayMs } from '../src/lib/timestamps.ts'
import { keyNames } from './words.ts'
import type { Member, World } from './world.ts'

/** API keys and embed links, several of them of the keeper, as whom one signs in. */
export function planKeysAndLinks(world: World): void {
  const { plan, keeper, of, some, sometime } = world
  const withKeys = [keeper, keeper, keeper, ...of('admin'), ...some(30)]
  for (const [place, member] of withKeys.entries()) plan.at(sometime(member), () => addKey(world, member, place))
  for (const [place, member] of [keeper, keeper, ...some(20)].entries())
    plan.at(sometime(member), () => addLink(world, member, place))
}

async function addKey(world: World, member: Member, place: number): Promise<void> {
  const terms = {
    name: keyNames[place % keyNames.length] as string,
    scopes: member.role === 'user' ? (['images'] as const) : keyScopes.slice(0, 1 + (place % keyScopes.length)),
    expiresInMs: place % 3 === 1 ? 90 * dayMs : null,
    limitPerMinute: place % 3 === 2 ? 60 : null,
  }
  const { key } = await createKey(world, { by: world.by(member), userId: member.id, check() {} }, terms)
  member.keys.push(key)
}

async function addLink({ chance, images, clock, newId, by, embedLinks }: World, member: Member, place: number) {
  const createdAt = clock.now()
  const terms = {
    kinds: [chance.pick(images).kind],
    isRepeating: place % 3 !== 1,
    orientation: null,
    tags: [],
    without: [],
    period: null,
  }
  const link = {
    id: newId(),
    userId: member.id,
    ...terms,
    createdAt,
    expiresAt: createdAt + 90 * dayMs,
    lastUsedAt: null,
  }
  await embedLinks.insert(link, { action: 'create-embed', by: by(member), after: linkDetails(link) }, () => {})
  member.links.push(link)
}
