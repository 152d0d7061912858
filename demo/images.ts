import { hash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ReportAction } from '../src/images/reports.ts'
import { dayMs } from '../src/lib/timestamps.ts'
import type { Chance } from './chance.ts'
import { reportReasons } from './words.ts'
import { hourMs, type Member, type World } from './world.ts'

export interface SampleImage {
  readonly kind: string
  /** With its kind. */
  readonly name: string
  readonly etag: string
  readonly type: string
  readonly uploadedAt: number
}

const samples = join(import.meta.dirname, '../samples')

/** Of a kind of its own, which has a copy of each sample: for a long list, and duplicates. */
export const extraKind = 'wallpaper'

/** The samples of all kinds in the embedded store, uploaded over the last 50 days. */
export function seedImages(dataDir: string, { chance, now }: { readonly chance: Chance; readonly now: number }) {
  const paths = globSync('*/*.png', { cwd: samples }).map((path) => path.replaceAll('\\', '/'))
  const copies = paths.map((path) => [`${extraKind}/${basename(path)}`, path] as const)
  const all = [...paths.map((path) => [path, path] as const), ...copies].sort()
  return all.map(([name, sample]): SampleImage => {
    const bytes = readFileSync(join(samples, sample))
    const path = join(dataDir, 'objects/images', name)
    const uploadedAt = now - chance.between(dayMs, 50 * dayMs)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    utimesSync(path, uploadedAt / 1000, uploadedAt / 1000)
    return { kind: dirname(name), name, etag: hash('md5', bytes), type: 'image/png', uploadedAt }
  })
}

export function planUploads({ plan, images, record, pending, byAdministrator, targetOf }: World): void {
  for (const { name, type, etag, uploadedAt } of images)
    plan.at(uploadedAt, () => {
      const upload = {
        action: 'upload',
        outcome: 'success',
        target: targetOf(name),
        after: { etag, type, versionId: null },
      }
      return record({ events: [{ ...pending(byAdministrator()), ...upload }] })
    })
}

/** Of nine images, five of which moderators have decided on. */
export function planReports({ chance, now, plan, images, reports, of, by, targetOf }: World): void {
  const actOf = (member: Member) => ({ by: by(member), check() {}, targetOf })
  const resolve = async (name: string, action: ReportAction) => {
    const open = await reports.page({ isOpen: true, after: null, limit: 50 })
    const report = open.find((each) => each.name === name)
    if (report) await reports.resolve(actOf(chance.pick(of('moderator'))), report.id, action)
  }
  for (const [place, image] of chance.shuffled(images).slice(0, 9).entries()) {
    const at = now - (10 - place) * dayMs
    const present = of('user').filter(({ joinedAt }) => joinedAt < at)
    for (const member of chance.shuffled(present).slice(0, 1 + (place % 3)))
      plan.at(at, () => reports.add(actOf(member), image, chance.pick(reportReasons)))
    if (place < 5) plan.at(at + 3 * hourMs, () => resolve(image.name, place === 2 ? 'hide' : 'keep'))
  }
}
