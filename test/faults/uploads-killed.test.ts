import assert from 'node:assert/strict'
import { createHash, hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type Api, end, start } from '../support/killed-service.ts'
import { type Client, clientOf } from '../support/owner-client.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env.CRASH_KILLS || sized(2, 3, 8))
const seed = seedOr(3)
const writers = 4
const megabyte = 1_000_000

/** One object, which one writer replaces again and again. */
interface Target {
  readonly name: string
  /** The hash of the version that was acknowledged last; null if there is none. */
  acknowledged: string | null
  /** That of an upload without a response. */
  maybe: string | null
}

const report = { acknowledged: 0, cutOff: 0, wrong: [] as string[], refusals: [] as string[], left: [] as string[] }

function bodyOf(random: () => number): Buffer {
  const body = Buffer.alloc(Math.floor((1 + 19 * random() ** 3) * megabyte), String(random()))
  body.writeDoubleLE(random())
  return body
}

async function write(client: Client, target: Target, random: () => number): Promise<void> {
  for (;;) {
    const body = bodyOf(random)
    target.maybe = hash('sha256', body)
    const { status, text } = await client.upload(target.name, body)
    if (status === 0) {
      report.cutOff++
      return
    }
    if (status !== 200) {
      report.refusals.push(`${target.name}: ${status} ${text}`)
      return
    }
    report.acknowledged++
    target.acknowledged = target.maybe
    target.maybe = null
  }
}

/** The version that was acknowledged last, or the one whose response is missing; or neither if there was none. */
async function verify(client: Client, target: Target): Promise<void> {
  const { status, bytes } = await client.image(target.name)
  const found = status === 404 ? null : createHash('sha256').update(bytes).digest('hex')
  const isKept = found === target.acknowledged || (target.maybe !== null && found === target.maybe)
  if (!isKept) report.wrong.push(`${target.name}: ${status}, ${bytes.length} bytes`)
  target.acknowledged = found
  target.maybe = null
}

describe(`kill -9 while ${writers} writers upload images of 1 to 20 MB to the folder: ${kills} kills, seed ${seed}`, () => {
  before(
    async () => {
      const dataDir = testFolder()
      const random = seededRandom(seed)
      const targets: Target[] = []
      const round = async (api: Api, isLast: boolean) => {
        report.left.push(...readdirSync(join(dataDir, 'objects/.temporary')))
        const client = await clientOf(api)
        for (const target of targets) await verify(client, target)
        if (isLast) return
        // Half of them replace an object, half make one.
        targets.splice(0, writers / 2)
        while (targets.length < writers)
          targets.push({ name: `fox/${Math.floor(random() * 1e15)}.png`, acknowledged: null, maybe: null })
        const enough = report.acknowledged + Math.floor(random() * 2 * writers)
        const writing = targets.map((target) => write(client, target, random))
        const isWriting = () => readdirSync(join(dataDir, 'objects/.temporary')).length > 0
        await until(() => (report.acknowledged >= enough && isWriting()) || report.refusals.length > 0)
        api.child.kill('SIGKILL')
        await Promise.all(writing)
      }
      for (let kill = 0; kill <= kills; kill++) {
        const api = await start(dataDir)
        await round(api, kill === kills).finally(() => end(api))
      }
    },
    { timeout: (kills + 2) * 30_000 },
  )

  test('the service was killed while busy', (t) => {
    t.diagnostic(`${report.acknowledged} uploads acknowledged, ${report.cutOff} cut off`)
    assert.ok(report.acknowledged > 0 && report.cutOff >= kills)
    assert.deepEqual(report.refusals, [])
  })
  test('each object is the acknowledged one to the byte, or the one without a response, whole', () =>
    assert.deepEqual(report.wrong, []))
  test('nothing of an unfinished upload is left after the next start', () => assert.deepEqual(report.left, []))
})
