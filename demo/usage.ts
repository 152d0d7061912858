import type { GrantUse } from '../src/accounts/counts.ts'
import { dayMs, dayOf } from '../src/lib/timestamps.ts'
import { usageDays, type World } from './world.ts'

/** Each day's requests are written at its end, those of today now. */
export function planUsage(world: World): void {
  const { plan, now, record } = world
  for (let ago = usageDays - 1; ago >= 0; ago--) {
    const start = Date.parse(dayOf(now)) - ago * dayMs
    const end = Math.min(now, start + dayMs - 1)
    plan.at(end, () => record(usageOf(world, start, end)))
  }
}

/** From Sunday to Saturday. */
const rhythm = [0.45, 1, 1.1, 1.05, 1, 0.9, 0.5]

/** The requests of one day, up to its end. */
function usageOf({ members, chance }: World, start: number, end: number) {
  const day = dayOf(start)
  const share = ((rhythm[new Date(start).getUTCDay()] as number) * (end - start)) / dayMs
  const counts = members
    .filter(({ joinedAt, pace }) => joinedAt < end && chance.isTrue(Math.min(0.9, 0.3 + pace / 200)))
    .map(({ id: userId, role, pace }) => {
      const some = (most: number) => Math.round(most * share * (0.6 + 0.8 * chance.next()))
      const admin = role === 'user' ? 0 : some(role === 'support' ? 15 : 40)
      return { userId, day, images: some(pace), auth: some(3), admin }
    })
    .filter(({ images, auth, admin }) => images + auth + admin > 0)
  const imagesOf = new Map(counts.map(({ userId, images }) => [userId, images]))
  const usesOf = (grants: 'keys' | 'links', part: number) => {
    const uses: GrantUse[] = members.flatMap(({ id: userId, [grants]: own }) =>
      own.map(({ id: grantId }) => {
        const requests = Math.floor(((imagesOf.get(userId) ?? 0) * part) / own.length)
        return { grantId, userId, at: end - (end % 60_000), requests }
      }),
    )
    return uses.filter(({ requests }) => requests > 0)
  }
  return { counts, keyUses: usesOf('keys', 0.6), linkUses: usesOf('links', 0.3) }
}
