import { password, type Reply, startService } from '../../support/service.ts'
import type { StatusServer } from '../../support/status-servers.ts'
import { until } from '../../support/until.ts'

const later = () => new Date(Date.now() + 3_600_000).toISOString()
export const anId = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'

/** Each write as [method, path, body], with what the worker replies to it. */
export const writes = (id = anId) =>
  ({
    retire: ['DELETE', '/admin/status/components/db', undefined],
    change: ['PATCH', '/admin/status/components/db', { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin' }],
    announceMaintenance: ['POST', '/admin/status/maintenance', { components: ['db'], until: later() }],
    changeMaintenance: ['PUT', `/admin/status/maintenance/${id}`, { text: 'New disks', until: later() }],
    endMaintenance: ['DELETE', `/admin/status/maintenance/${id}`, undefined],
    announceRecurring: [
      'POST',
      '/admin/status/maintenance/recurring',
      { components: ['db'], schedule: '0 3 * * 0', tz: 'Europe/Berlin', durationSeconds: 7_200 },
    ],
    endRecurring: ['DELETE', `/admin/status/maintenance/recurring/${id}`, undefined],
    announce: ['POST', '/admin/status/announcements', { text: 'Tonight' }],
    endAnnouncement: ['DELETE', `/admin/status/announcements/${id}`, undefined],
    acknowledge: ['POST', '/admin/status/components/db/acknowledge', undefined],
    mute: ['PUT', '/admin/status/components/db/mute', { until: later() }],
    unmute: ['DELETE', '/admin/status/components/db/mute', undefined],
    openIncident: ['POST', '/admin/status/incidents', { title: 'Slow', level: 'degraded', text: 'We look into it' }],
    updateIncident: ['POST', `/admin/status/incidents/${id}/updates`, { stage: 'identified', text: 'A disk' }],
    deleteIncident: ['DELETE', `/admin/status/incidents/${id}`, undefined],
    test: ['POST', '/admin/status/targets/chat/test', undefined],
  }) as const satisfies Readonly<Record<string, readonly [string, string, unknown]>>

export type Write = keyof ReturnType<typeof writes>

/** The API sends heartbeats of its own, and reads the worker's audit. */
export const asked = (worker: StatusServer) =>
  worker.asked.filter(({ path }) => !/^\/(heartbeat|livez)/.test(path) && !['/audit', '/components'].includes(path))

/** The API with an owner, keeper, over these workers. */
export async function stage(workers: readonly string[]) {
  const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, STATUS_WORKER_URL: workers.join(',') }
  const service = await startService({ env })
  const { accessToken, user } = (await service.login('keeper')).body
  const call = ([method, path, body]: readonly [string, string, unknown], token = accessToken, headers = {}) =>
    service.request(method, path, { token, headers, body })

  return {
    service,
    token: accessToken as string,
    keeper: user.id as string,
    call,
    write: (name: Write, token?: string): Promise<Reply> => call(writes()[name], token),
    get: async (path: string) => (await service.request('GET', path, { token: accessToken })).body,
    /** A new user with this role, signed in. */
    async person(username: string, role: string): Promise<string> {
      const made = await service.register(username)
      if (role === 'user') return made.accessToken
      const body = { username, role }
      await service.request('POST', '/admin/user/edit/role', { token: accessToken, body })
      return (await service.login(username)).body.accessToken
    },
    /** The events of an action, newest first; the refused ones are written within a second. */
    async audited(action: string, count: number) {
      let events: { outcome: string; actor: string; target: string | null; after: unknown; count: number }[] = []
      await until(async () => {
        const { body } = await service.request('GET', `/admin/audit?action=${action}`, { token: accessToken })
        events = body.events
        return events.length >= count
      })
      return events.map(({ outcome, actor, target, after }) => ({ outcome, actor, target, after }))
    },
  }
}
