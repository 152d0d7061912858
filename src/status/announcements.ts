import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { type ChangeAction, details, recordOf, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { StateStore } from './state-store.ts'

/** A text on the public status page that is not about any component. */
export interface Announcement {
  readonly id: string
  readonly text: string
  readonly from: number
  /** Null: until someone ends it. */
  readonly until: number | null
  /** Set if it was ended before `until`. */
  readonly endedAt: number | null
}

export const announcementStates = ['planned', 'active', 'over'] as const

/** Max announcements that are not over. */
const maxOpen = 50
/** Max announcements listed. */
const maxListed = 500

export function announcementState(
  { from, until, endedAt }: Announcement,
  now: number,
): (typeof announcementStates)[number] {
  if (endedAt !== null || now >= (until ?? Infinity)) return 'over'
  return now < from ? 'planned' : 'active'
}

const said = {
  announce: 'announcement made',
  'end-announcement': 'announcement ended',
} as const satisfies Partial<Record<ChangeAction, string>>

const detailsOf = { announce: details.announcement, 'end-announcement': details.endedAnnouncement } as const

const inIso = ({ from, until, endedAt, ...announcement }: Announcement) => ({
  ...announcement,
  from: isoTime(from),
  until: isoOrNull(until),
  endedAt: isoOrNull(endedAt),
})

interface AnnouncementsDeps {
  readonly store: Pick<StateStore, 'saveAnnouncement'>
  readonly announcements: readonly Announcement[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  newId(): string
}

export type Announcements = ReturnType<typeof createAnnouncements>

/** The announcements; each change is saved before it takes effect. */
export function createAnnouncements({ store, announcements, clock, log, newId }: AnnouncementsDeps) {
  const known = new Map(announcements.map((each) => [each.id, each]))
  const mutex = createSemaphore({ max: 1 })
  const list = () => [...known.values()].sort((a, b) => b.from - a.from || (a.id < b.id ? 1 : -1))
  const isOver = (each: Announcement) => announcementState(each, clock.now()) === 'over'
  const dropOldest = () => {
    const over = known.size > maxListed ? list().filter(isOver).reverse() : []
    for (const { id } of over.slice(0, known.size - maxListed)) known.delete(id)
  }
  dropOldest()

  const save = async (announcement: Announcement, action: keyof typeof said, by: Sent): Promise<Announcement> => {
    const after = detailsOf[action](inIso(announcement))
    try {
      await store.saveAnnouncement(announcement, recordOf(by, clock.now(), { action, target: announcement.id, after }))
    } catch {
      return refuse(errors.notSaved)
    }
    known.set(announcement.id, announcement)
    dropOldest()
    log.info({ announcement: announcement.id, address: by.address }, said[action])
    return announcement
  }

  return {
    /** Newest first. */
    list,
    announce: ({ text, from, until }: Pick<Announcement, 'text' | 'from' | 'until'>, by: Sent) =>
      mutex.run(async () => {
        if (until !== null && (until <= from || until <= clock.now())) refuse(errors.badPeriod)
        if (list().filter((each) => !isOver(each)).length >= maxOpen) refuse(errors.tooManyAnnouncements)
        return save({ id: newId(), text, from, until, endedAt: null }, 'announce', by)
      }),
    end: (id: string, by: Sent) =>
      mutex.run(async () => {
        const announcement = known.get(id) ?? refuse(errors.unknownAnnouncement)
        if (isOver(announcement)) refuse(errors.announcementOver)
        return save({ ...announcement, endedAt: clock.now() }, 'end-announcement', by)
      }),
    /** Called when the store deletes them. */
    forget(before: number): void {
      for (const { id, until, endedAt } of known.values()) if ((endedAt ?? until ?? Infinity) < before) known.delete(id)
    },
  }
}
