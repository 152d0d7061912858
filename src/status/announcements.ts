import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import { type Announced, createAnnounced, inIso } from './announced.ts'
import { details, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { StateStore } from './state-store.ts'

/** A text on the public status page that is not about any component. */
export interface Announcement extends Announced {
  readonly text: string
}

/** Max announcements that are not over. */
const maxOpen = 50
/** Max announcements listed. */
const maxListed = 500

const made = { action: 'announce', said: 'announcement made', detailsOf: details.announcement } as const
const ended = { action: 'end-announcement', said: 'announcement ended', detailsOf: details.endedAnnouncement } as const

interface AnnouncementsDeps {
  readonly store: Pick<StateStore, 'savePublished'>
  readonly announcements: readonly Announcement[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  newId(): string
}

export type Announcements = ReturnType<typeof createAnnouncements>

/** The announcements; each change is saved before it takes effect. */
export function createAnnouncements({ store, announcements, clock, log, newId }: AnnouncementsDeps) {
  const known = createAnnounced({
    saved: announcements,
    clock,
    max: maxListed,
    unknown: errors.unknownAnnouncement,
    over: errors.announcementOver,
    save: (one, record) => store.savePublished({ announcements: [one] }, record),
  })
  const save = async (announcement: Announcement, change: typeof made | typeof ended, by: Sent) => {
    const { action, said, detailsOf } = change
    await known.put(announcement, { action, after: detailsOf(inIso(announcement)) }, by)
    log.info({ announcement: announcement.id, address: by.address }, said)
    return announcement
  }

  return {
    list: known.list,
    forget: known.forget,
    announce: ({ text, from, until }: Pick<Announcement, 'text' | 'from' | 'until'>, by: Sent) =>
      known.exclusively(async () => {
        if (until !== null && (until <= from || until <= clock.now())) refuse(errors.badPeriod)
        if (known.open().length >= maxOpen) refuse(errors.tooManyAnnouncements)
        return save({ id: newId(), text, from, until, endedAt: null }, made, by)
      }),
    end: (id: string, by: Sent) =>
      known.exclusively(async () => save({ ...known.current(id), endedAt: clock.now() }, ended, by)),
  }
}
