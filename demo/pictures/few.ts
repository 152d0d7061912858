import { cpSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../client/src/client.ts'
import type { Programs } from '../programs.ts'
import { password } from '../seed-all.ts'

const samples = join(import.meta.dirname, '../../samples')
const dayMs = 86_400_000

/** Markup, another direction of writing, and a word without a place to break. */
export const hostile = `<b>Bold</b> & "quoted" \u202eright to left\u202c ${'endless'.repeat(12)}`
const longName = 'the-longest-name-that-is-allowed'
const longFile = `${'a-name-that-goes-on-and-on-'.repeat(5)}and-ends.png`

/** Images come before the start: the time of a file is that of its upload. */
export function placeFew(dataDir: string, now: number): void {
  const folder = join(dataDir, 'objects/images/fox')
  mkdirSync(folder, { recursive: true })
  for (const name of [longFile, 'hidden.png']) {
    cpSync(join(samples, 'fox/fox-at-dusk.png'), join(folder, name))
    utimesSync(join(folder, name), now / 1000 - 86_400, now / 1000 - 86_400)
  }
}

/** One of everything, each with the longest or most hostile text that the service takes. */
export async function seedFew(programs: Programs, now: number): Promise<void> {
  const { url } = programs
  const [keeper, visitor] = [createClient({ url }), createClient({ url })]
  await keeper.auth.login({ username: 'keeper', password })
  const { user } = await keeper.admin.createUser({ username: longName, role: 'user', password })
  await visitor.auth.login({ username: longName, password })
  const name = `<b>Key</b> \u202efor\u202c ${'endless'.repeat(6)}`
  await visitor.auth.keys.create({ name, scopes: ['images'], expiresIn: '30d', password })
  await keeper.auth.keys.create({
    name,
    scopes: ['images', 'upload', 'store', 'admin:read'],
    expiresIn: '365d',
    password,
  })
  for (const client of [keeper, visitor])
    await client.auth.embed.create({ kind: 'fox', ttl: '30d', repeat: 'no', password })
  const image = `fox/${longFile}`
  await keeper.admin.describeImage(image, {
    alt: hostile,
    title: hostile,
    artist: hostile,
    license: hostile,
    source: `https://example.org/${'endless'.repeat(30)}`,
    tags: ['night', 'snow', 'a-tag-that-is-quite-long'],
  })
  await visitor.images.report({ name: image, reason: hostile.repeat(3) })
  await keeper.admin.hide({ name: 'fox/hidden.png' })
  await keeper.admin.ban({ userId: user.id, reason: hostile.repeat(3), until: new Date(now + dayMs).toISOString() })
  await seedStatus(programs, keeper, now)
  // Reading the audit writes what waits.
  for await (const _ of keeper.admin.auditEvents({ limit: 1 })) break
}

async function seedStatus(programs: Programs, { status }: ReturnType<typeof createClient>, now: number): Promise<void> {
  const id = `job-${'that-goes-on-'.repeat(4)}ends`
  const later = (ms: number) => new Date(now + ms).toISOString()
  await programs.beat(id, { status: 'degraded', message: hostile, expectWithinSeconds: 86_400 })
  await status.mute(id, { until: later(dayMs) })
  const { incident } = await status.openIncident({
    title: hostile.slice(0, 100),
    level: 'partial',
    components: [id],
    stage: 'investigating',
    text: hostile,
  })
  await status.updateIncident(incident.id, { stage: 'identified', text: hostile.repeat(3) })
  await status.maintenance.announce({ components: [id], until: later(2 * dayMs), from: later(dayMs), text: hostile })
  await status.announcements.announce({ text: hostile.repeat(3) })
}
