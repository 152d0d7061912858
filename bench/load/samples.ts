import { readdirSync, readFileSync } from 'node:fs'
import type { Delays } from '../event-loop-probe.ts'
import { residentMbOf } from '../proc.ts'
import type { Server } from '../server.ts'
import type { Probed } from './probe.ts'

/** To start a server with, so that it can be watched. */
export const probe = 'load/probe.ts'

export interface Sample {
  /** Since the run began. */
  readonly seconds: number
  readonly residentMb: number
  readonly descriptors: number
  readonly handles: number
  /** The event loop during the last second. */
  readonly delays: Delays
}

export interface Watched {
  readonly samples: readonly Sample[]
  /** Over the whole run. */
  readonly delays: Delays
  /** What the main thread itself computed from one look to the next. */
  readonly computed: Delays
  /** The share of the time in which the main thread was ready to run, but other threads and programs had the cores. */
  readonly waitedShare: number
}

export interface Watch {
  /** The newest sample is the last one. */
  readonly samples: readonly Sample[]
  /** Call this before the service ends. */
  stop(): Promise<Watched>
}

const everyMs = 1000

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** How long the main thread has waited for a core. */
const waitedMsOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6

/** Each second, until stopped: what the kernel knows of the service, and how late its event loop was. */
export async function watchServer(server: Server): Promise<Watch> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  const ask = async (question: string) => (await server.ask(question)) as Probed
  let asking: Promise<Probed> | null = null
  const take = async (question = 'sample') => {
    const seconds = (performance.now() - startedAt) / 1000
    const seen = { seconds, residentMb: residentMbOf(server.pid), descriptors: descriptorsOf(server.pid) }
    asking = ask(question)
    const probed = await asking.finally(() => {
      asking = null
    })
    samples.push({ ...seen, handles: probed.handles, delays: probed.recent })
    return probed
  }
  await take('begin')
  const waitedBefore = waitedMsOf(server.pid)
  const timer = setInterval(() => {
    // A service that is too late for the last question is asked again when it has answered.
    if (asking === null) take().catch(() => clearInterval(timer))
  }, everyMs)
  return {
    samples,
    async stop() {
      clearInterval(timer)
      await asking
      const { whole, computed } = await take()
      const waitedMs = waitedMsOf(server.pid) - waitedBefore
      return { samples, delays: whole, computed, waitedShare: waitedMs / (performance.now() - startedAt) }
    },
  }
}

export const mostResidentMb = (samples: readonly Sample[]) => Math.max(...samples.map((each) => each.residentMb))

/** The peak, minus the first sample. */
export const grownMb = (samples: readonly Sample[]) => mostResidentMb(samples) - (samples[0]?.residentMb ?? Number.NaN)
