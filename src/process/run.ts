import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Config, environment, loadEnvironment, readConfig, tuneThreads } from '../config/config.ts'
import { readCommit, readPackage } from '../config/package.ts'
import type { Overrides, Running } from '../http/running.ts'
import { systemClock } from '../lib/clock.ts'
import { describeFailure } from '../lib/failure.ts'
import { hostProblem } from './address.ts'
import { childFlag, logEnvironment } from './environment.ts'
import { writeFatal } from './fatal.ts'
import { allowGrowth, boundHeap, keepFreedMemory } from './heap.ts'
import { createLogs } from './logger.ts'
import { watchOpenFiles } from './open-files.ts'
import { createOutages } from './outages.ts'
import { watchSignals } from './signals.ts'

export interface ProcessSpec {
  readonly name: string
  /** Its address settings, for error messages. */
  readonly address: { readonly host: 'HOST' | 'STATUS_HOST'; readonly port: 'PORT' | 'STATUS_PORT' }
  /** Loads the program, once the heap is bounded. */
  load(): Promise<(config: Config, overrides: Overrides) => Promise<Running>>
}

/** After the shutdown delay, a stop takes at most 12 s, 10 s of which are for requests in progress. */
const forceAfterMs = 11_500

/** Runs a program: start, signals, graceful shutdown, exit code. */
export async function run(spec: ProcessSpec): Promise<void> {
  boundHeap()
  keepFreedMemory()
  let running: Running
  try {
    // `npm start` has already done this for its children.
    const isChild = process.argv.includes(childFlag)
    const envFile = isChild ? null : loadEnvironment()
    tuneThreads()
    const config = readConfig()
    const logs = createLogs(config.LOG_LEVEL, systemClock)
    if (!isChild) logEnvironment(logs.log, environment(), envFile)
    running = await (await spec.load())(config, { logs })
  } catch (error) {
    writeFatal(refusalOf(spec, error))
    process.exit(1)
  }
  allowGrowth()
  watchOpenFiles(running.outages ?? createOutages(running.logs.log))
  announce(spec, running)
  setImmediate(flushCompileCache)

  let closing = false
  let delay: NodeJS.Timeout | undefined
  const close = async (exitCode: number) => {
    clearTimeout(delay)
    if (closing) return
    closing = true
    const force = setTimeout(() => process.exit(1), forceAfterMs)
    await running.close()
    clearTimeout(force)
    process.exit(exitCode)
  }
  watchSignals({
    stop(reason) {
      const delayMs = running.drain?.() ?? 0
      running.logs.log.info({ reason, ...(delayMs > 0 && { delayMs }) }, `${spec.name} is stopping`)
      delay = setTimeout(() => void close(0), delayMs)
    },
    force() {
      running.logs.flush()
      process.exit(1)
    },
  })
  running.prepared?.catch((error) => {
    running.logs.log.fatal({ err: error }, `${spec.name} is stopping`)
    void close(1)
  })
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      running.logs.log.fatal({ err: error }, `${event}: ${spec.name} is stopping`)
      void close(1)
    })
  }
}

function announce({ name }: ProcessSpec, { listening, logs, places, advice }: Running): void {
  const { log } = logs
  const { version } = readPackage()
  log.info(
    { version, commit: readCommit(), ...places, addresses: listening.addresses, port: listening.port },
    `${name} is listening`,
  )
  advice?.then(
    (text) => text && log.info(text),
    () => {},
  )
}

/** One line for a failed start. */
export const refusalOf = ({ name, address }: ProcessSpec, error: unknown) => `${name}: ${explain(error, address)}`

/** Says what was wrong, with which value, and what to do. Has a stack only for a bug. */
function explain(error: unknown, { host, port }: ProcessSpec['address']): string {
  const { code, message, syscall, address, port: wanted } = error as NodeJS.ErrnoException & Partial<AddressInfo>
  if (code === 'EADDRINUSE')
    return `${port}: ${wanted} on ${address} is in use; stop the other program or choose another port`
  if (code === 'EACCES' && wanted !== undefined)
    return `${port}: ${wanted} needs privileges that this user does not have; choose a port above 1023`
  const wrongHost = hostProblem(host, error)
  if (wrongHost !== null) return wrongHost
  if (['listen', 'bind', 'getaddrinfo'].includes(syscall ?? '')) return `${host}: ${message}`
  return describeFailure(error) ?? `cannot start: ${error instanceof Error ? error.stack : String(error)}`
}
