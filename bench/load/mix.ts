import { createHash } from 'node:crypto'
import { seededRandom } from '../../test/support/uniform.ts'
import { type Connection, get, openConnection, type Reply } from '../connection.ts'
import { filenameOf, kind } from '../images-pool.ts'
import { dataDirWith } from '../images-servers.ts'
import { loginRequest, ownerSettings, registerPeople, signInOwner } from '../people.ts'
import { type Server, startApi } from '../server.ts'
import { probe } from './samples.ts'

export interface Asked {
  readonly what: 'image' | 'random' | 'admin' | 'login'
  readonly request: string
  /** What is wrong with a 200, or null. */
  readonly mistakeIn: (reply: Reply) => string | null
}

export interface Mix {
  readonly server: Server
  readonly dataDir: string
  /** 70 % images, 25 % random choices, 4 % administrators' reads, 1 % logins; the same in every run. */
  next(): Asked
}

const images = 200
const readers = 32
const pngHead = Buffer.from('89504e470d0a1a0a0000000d49484452000003e8000002ee08020000000000000000000000', 'hex')
const adminPaths = ['/admin/users?limit=50', '/admin/users/dashboard?limit=50', '/admin/usage', '/admin/audit']

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const md5Of = ({ body }: Reply) => createHash('md5').update(body, 'latin1').digest('hex')

/** From 2 to 60 kB. */
const imageOf = (index: number) => {
  const bytes = Buffer.alloc(2_000 + ((index * 7_919) % 58_000), `image ${index}`)
  pngHead.copy(bytes)
  return bytes
}

/** A service with images, readers, people who log in, and an owner. */
export async function startMix(folder: string): Promise<Mix> {
  const all = Array.from({ length: images }, (_, index) => [filenameOf(index), imageOf(index)] as const)
  const dataDir = await dataDirWith(folder, all)
  const server = await startApi(folder, { DATA_DIR: dataDir, ...ownerSettings }, probe)
  try {
    return { server, dataDir, next: await requestsOf(server, new Map(all.map(([name, bytes]) => [name, md5(bytes)]))) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function requestsOf({ port }: Server, hashes: ReadonlyMap<string, string>): Promise<() => Asked> {
  const people = await registerPeople(port, readers * 2)
  const owner = await signInOwner(port)
  const known = new Set(hashes.values())
  const names = [...hashes.keys()]
  const random = seededRandom(11)
  const oneOf = <T>(some: readonly T[]) => some[Math.floor(random() * some.length)] as T
  // A login ends the token before it, so other people log in than those that read.
  const authorizations = people.slice(0, readers).map(({ accessToken }) => ({ Authorization: accessToken }))

  const image = (): Asked => {
    const name = oneOf(names)
    const isRight = (reply: Reply) => md5Of(reply) === hashes.get(name)
    return {
      what: 'image',
      request: get(`/i/${kind}/${name}`),
      mistakeIn: (reply) => (isRight(reply) ? null : `${name}: other bytes`),
    }
  }
  const bytes = (): Asked => ({
    what: 'random',
    request: get(`/images/${kind}/random?as=bytes`, oneOf(authorizations)),
    mistakeIn: (reply) => (known.has(md5Of(reply)) ? null : 'a random image: unknown bytes'),
  })
  const descriptor = (): Asked => ({
    what: 'random',
    request: get(`/images/${kind}/random`, oneOf(authorizations)),
    mistakeIn: ({ body }) => {
      const { name, etag } = JSON.parse(body)
      return hashes.get(String(name).replace(`${kind}/`, '')) === etag ? null : `a description: ${body}`
    },
  })
  const admin = (): Asked => ({
    what: 'admin',
    request: get(oneOf(adminPaths), { Authorization: owner }),
    mistakeIn: ({ body }) => (JSON.parse(body).status === 200 ? null : body.slice(0, 100)),
  })
  const login = (): Asked => {
    const person = oneOf(people.slice(readers))
    return {
      what: 'login',
      request: loginRequest(person),
      mistakeIn: ({ body }) => (JSON.parse(body).user.username === person.username ? null : body.slice(0, 100)),
    }
  }
  return () => {
    const draw = random()
    if (draw < 0.7) return image()
    if (draw < 0.95) return random() < 0.5 ? bytes() : descriptor()
    return draw < 0.99 ? admin() : login()
  }
}

export interface Sent {
  readonly asked: Asked
  /** Null if the connection broke. */
  readonly reply: Reply | null
  readonly mistake: string | null
}

/** A connection that is opened again when it breaks. */
export function createSender(port: number) {
  let connection: Connection | null = null
  return {
    async send(asked: Asked): Promise<Sent> {
      try {
        connection ??= await openConnection(port)
        const reply = await connection.send(asked.request)
        const mistake = reply.status === 200 ? asked.mistakeIn(reply) : null
        return { asked, reply, mistake }
      } catch (error) {
        connection?.close()
        connection = null
        return { asked, reply: null, mistake: String(error) }
      }
    },
    close: () => connection?.close(),
  }
}

/** What came of many requests. */
export class Tally {
  count = 0
  broken = 0
  serverErrors = 0
  refused = 0
  wrong = 0
  /** Each kind of failure once. */
  readonly failures = new Set<string>()

  take({ asked, reply, mistake }: Sent): void {
    this.count += 1
    if (reply === null) this.broken += 1
    else if (reply.status >= 500) this.serverErrors += 1
    else if (reply.status !== 200) this.refused += 1
    else if (mistake !== null) this.wrong += 1
    if (mistake !== null) this.failures.add(mistake)
    else if (reply?.status !== 200) this.failures.add(`${asked.what}: ${reply?.status}`)
  }
}

/** Each connection sends its next request after each response, while `isOn`. */
export async function closedMix(mix: Mix, connections: number, isOn: (sent: number) => boolean): Promise<Tally> {
  const tally = new Tally()
  let sent = 0
  const drive = async () => {
    const sender = createSender(mix.server.port)
    while (isOn(sent)) {
      sent += 1
      tally.take(await sender.send(mix.next()))
    }
    sender.close()
  }
  await Promise.all(Array.from({ length: connections }, drive))
  return tally
}

/** Requests a second that 64 connections get through, with bodies only counted: what the driver computes is no limit. */
export async function capacityOf(mix: Mix, durationMs: number): Promise<number> {
  const startedAt = performance.now()
  const sinceStart = () => performance.now() - startedAt
  let count = 0
  const drive = async () => {
    const connection = await openConnection(mix.server.port, { keepsBodies: false })
    for (; sinceStart() < durationMs; count += 1) await connection.send(mix.next().request)
    connection.close()
  }
  await Promise.all(Array.from({ length: 64 }, drive))
  return (count * 1000) / sinceStart()
}
