import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Balancer, upstreamHeader } from '../support/balancer-programs.ts'
import { freePort } from '../support/free-port.ts'
import { highLimits } from '../support/limits.ts'
import { until } from '../support/until.ts'

export interface ClusterSpec {
  /** For everything that is not in the services. */
  readonly folder: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly s3: { readonly endpoint: string; readonly keyId: string; readonly secret: string }
  /** Must set `upstreamHeader`. */
  readonly balancer: Balancer
  readonly env?: Readonly<Record<string, string>>
  readonly instanceCount?: number
  /** By default they start one after another. */
  readonly startInstances?: (instances: readonly Member[]) => Promise<void>
  /** Where the programs come from at first; by default this checkout. */
  readonly checkout?: string
  /** The command that runs each program, before Node and its arguments. */
  readonly runBy?: readonly string[]
}

export interface Cluster {
  /** The balancer, in front of the instances. */
  readonly url: string
  readonly instances: readonly Member[]
  readonly workers: readonly Member[]
  readonly owner: { readonly username: string; readonly password: string }
  readonly bucket: string
  /** Ends a process with SIGTERM and starts it again; resolves when the balancer uses an instance again. */
  restart(member: Member): Promise<void>
  close(): Promise<void>
}

export const ownCheckout = join(import.meta.dirname, '../..')

/**
 * API instances behind a balancer, a worker and its stand-by, as real processes on loopback over services that are already
 * there. Does not need the test runner.
 */
export async function startCluster(spec: ClusterSpec): Promise<Cluster> {
  const { folder, balancer, s3, instanceCount = 2, checkout = ownCheckout, runBy = [] } = spec
  const owner = { username: 'keeper', password: randomBytes(12).toString('base64url') }
  const bucket = `images-${randomBytes(4).toString('hex')}`
  const shared = {
    ...highLimits,
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    JWT_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: spec.databaseUrl,
    REDIS_URL: spec.redisUrl,
    OWNER_USERNAME: owner.username,
    OWNER_PASSWORD: owner.password,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: s3.keyId,
    S3_BUCKET: bucket,
    S3_SECRET_ACCESS_KEY: s3.secret,
    S3_CREATE_BUCKET: 'true',
    SHUTDOWN_DELAY_SECONDS: '1',
    ...spec.env,
  }
  const members: Member[] = []
  const startEach = async (some: readonly Member[]) => {
    for (const member of some) await member.start()
  }
  const add = async (program: string, name: string, env: Record<string, string> = {}) => {
    const port = await freePort()
    const own = join(folder, name)
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const ports = { PORT: String(port), STATUS_PORT: String(port), DATA_DIR: own }
    const launch = { runBy, checkout, env: { ...shared, ...ports, ...env } }
    const member = createMember({ program, name, port, folder: own, ...launch })
    members.push(member)
    return member
  }

  const close = async () => {
    front?.child.kill('SIGTERM')
    await Promise.all([front && ended(front.child), ...members.map((member) => member.stop('SIGTERM'))])
  }
  let front: Front | null = null
  try {
    const workers = [await add('status-worker', 'worker-1'), await add('status-worker', 'worker-2')]
    await startEach(workers)
    const STATUS_WORKER_URL = workers.map(({ url }) => url).join(',')
    const instances: Member[] = []
    for (let index = 1; index <= instanceCount; index++)
      instances.push(await add('api', `api-${index}`, { STATUS_WORKER_URL }))
    await (spec.startInstances ?? startEach)(instances)
    front = await startFront(balancer, folder, instances)
    return {
      url: `http://127.0.0.1:${front.port}`,
      instances,
      workers,
      owner,
      bucket,
      close,
      async restart(member) {
        await member.stop('SIGTERM')
        await member.start()
        if (!instances.includes(member)) return
        await until(() => isServedBy(`http://127.0.0.1:${front?.port}/health`, member), 'the balancer uses it again')
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export interface Member {
  readonly name: string
  readonly url: string
  readonly port: number
  /** Null while it does not run. */
  readonly process: ChildProcess | null
  /** Resolves once it is ready; on the same port each time. */
  start(): Promise<void>
  /** What it runs from its next start on. */
  checkout: string
  stop(signal: NodeJS.Signals): Promise<void>
}

interface MemberSpec {
  readonly program: string
  readonly name: string
  readonly port: number
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly checkout: string
  readonly runBy: readonly string[]
}

function createMember({ program, name, port, folder, env, checkout, runBy }: MemberSpec): Member {
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  return {
    name,
    url,
    port,
    checkout,
    get process() {
      return child
    },
    async start() {
      const log = createWriteStream(join(folder, 'log'), { flags: 'a' })
      const [command = '', ...args] = [...runBy, process.execPath, join(this.checkout, 'src/bin', `${program}.ts`)]
      const started = spawn(command, args, { cwd: folder, env, stdio: 'pipe' })
      for (const stream of [started.stdout, started.stderr]) stream.pipe(log, { end: false })
      child = started
      started.once('exit', () => {
        if (child === started) child = null
      })
      await becomes(() => isUp(url, program === 'api' ? '/ready' : '/livez'), started, name)
    },
    async stop(signal) {
      const running = child
      if (running === null) return
      running.kill(signal)
      await ended(running)
    },
  }
}

interface Front {
  readonly child: ChildProcess
  readonly port: number
}

async function startFront(balancer: Balancer, folder: string, instances: readonly Member[]): Promise<Front> {
  const port = await freePort()
  const file = join(folder, 'balancer.conf')
  const backends = instances.map((each) => each.port)
  writeFileSync(file, balancer.configuration({ folder, port, backends }))
  const child = spawn(balancer.program, balancer.arguments(file, folder), {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, HOME: folder },
  })
  await becomes(() => isUp(`http://127.0.0.1:${port}`, '/ready'), child, balancer.name)
  return { child, port }
}

async function becomes(isSo: () => Promise<boolean>, child: ChildProcess, name: string): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    return await isSo()
  }, `${name} is ready`)
}

const isUp = (url: string, path: string) =>
  fetch(url + path).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  )

/** Whether the balancer, which names the backend in a header, chose this one; it takes turns. */
const isServedBy = (url: string, { port }: Member) =>
  fetch(url).then(
    async (response) => (await response.text()) !== '' && response.headers.get(upstreamHeader) === String(port),
    () => false,
  )

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
