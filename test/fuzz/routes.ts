import { request } from 'undici'
import type { Running } from '../bin/processes.ts'
import { gif, jpeg, lossyWebp, png } from '../support/pictures.ts'
import { seededRandom } from '../support/uniform.ts'
import { misfit, type Operation } from './document.ts'
import { type Generated, Generator } from './requests.ts'
import { median, type People, residentMiB } from './stage.ts'

interface Options {
  readonly operations: readonly Operation[]
  readonly running: Running
  readonly people: People
  readonly seconds: number
  readonly seed: number
}

const bucket = 'images'
const maxGrowthMiB = 150

/** Sends requests to each route in turn until the time is over. Returns what was wrong, and the requests of each route. */
export async function fuzzRoutes({ operations, running, people, seconds, seed }: Options) {
  const pictures = [png(4, 4), jpeg(4, 4), gif(4, 4), lossyWebp(4, 4)]
  const generator = new Generator(seededRandom(seed), pictures, people.spared)
  const findings = new Map<string, string>()
  const counts = new Map(operations.map(({ name }) => [name, 0]))
  const statuses = new Map<string, Set<number>>(operations.map(({ name }) => [name, new Set()]))
  const memory: number[] = []
  const pids = running.children()
  const until = Date.now() + seconds * 1000

  for (const kind of ['fox', 'bird']) generator.learn(kind, 'kind')
  generator.learn(people.password, 'password')
  for (let round = 0; Date.now() < until || round === 0; round++) {
    for (const operation of operations) {
      const who = generator.oneOf(people.names)
      const generated = generator.request(operation)
      const { status, problem, value } = await tryOne(operation, generated, people.headersOf(who))
      counts.set(operation.name, (counts.get(operation.name) ?? 0) + 1)
      statuses.get(operation.name)?.add(status)
      if (value !== undefined && status < 300) generator.learn(value, '', operation.path)
      if (problem !== null && !findings.has(`${operation.name} ${problem}`))
        findings.set(`${operation.name} ${problem}`, `as ${who}, round ${round}: ${JSON.stringify(generated)}`)
      // A ban or a lost role shows only as 403, which most routes answer to most people.
      if (status === 401 || (status === 403 && generator.chance(0.02))) await people.renew(who)
    }
    memory.push(residentMiB(pids))
  }
  const third = Math.ceil(memory.length / 3)
  const [before, after] = [median(memory.slice(third, 2 * third)), median(memory.slice(-third))]
  if (memory.length >= 3 && after - before > maxGrowthMiB) findings.set('memory', `grew from ${before} to ${after} MiB`)
  return { findings, counts, statuses, memory: { before, after } }

  async function tryOne(operation: Operation, generated: Generated, identity: Record<string, string>) {
    const base = operation.service === 'api' ? running.url : running.workerUrl
    try {
      const reply = await request(base + generated.path, {
        method: operation.method as 'GET',
        headers: { ...generated.headers, ...identity },
        body: generated.body ?? null,
      })
      const text = await reply.body.text()
      const status = reply.statusCode
      const type = String(reply.headers['content-type'] ?? '')
      const isJson = type.startsWith('application/json') && text !== ''
      const value = isJson && reply.headers['content-encoding'] === undefined ? JSON.parse(text) : undefined
      const isFailure = status >= 500 && !isOfAbsentBucket(operation, generated)
      const what = isFailure
        ? `${status} ${text.slice(0, 600)}`
        : reply.headers['content-encoding'] === undefined
          ? misfit(operation, status, type, text)
          : misfit(operation, status, type, '')
      return { status, problem: what, value }
    } catch (error) {
      return { status: 0, problem: `no reply: ${error}`, value: undefined }
    }
  }
}

/** Deleting from a bucket that does not exist fails with 500 by contract; the body or else the query names it. */
function isOfAbsentBucket({ name }: Operation, { path, body }: Generated): boolean {
  if (name !== 'api DELETE /admin/s3/delete') return false
  const inQuery = new URL(path, 'http://localhost').searchParams.get('bucketName')
  const { bucketName = inQuery ?? bucket } = body === undefined ? {} : JSON.parse(Buffer.from(body).toString())
  return bucketName !== bucket
}
