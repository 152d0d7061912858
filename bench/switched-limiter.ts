import { type createLimiter as CreateLimiter, createLimiter as createReal } from '../src/limits/limiter.ts'

export * from '../src/limits/limiter.ts'

export interface Spent {
  cpuUs: number
  requests: number
}

/** CPU of the whole process, by whether requests that came meanwhile were limited. */
export interface LimitAccounts {
  readonly on: Spent
  readonly off: Spent
}

/** Whether a caller who is not limited is told what is left all the same: what telling costs is then on both sides. */
export type Question = 'told' | 'untold'

/** So short that whatever else the machine does falls on both alike. */
const sliceMs = 11

const emptyAccounts = (): LimitAccounts => ({ on: { cpuUs: 0, requests: 0 }, off: { cpuUs: 0, requests: 0 } })

/** The real limiter in one slice of time, none in the next; tells its parent process what each has cost. */
export const createLimiter: typeof CreateLimiter = (deps) => {
  const limiter = createReal(deps)
  let accounts = emptyAccounts()
  let kind: 'on' | 'off' = 'on'
  let requests = 0
  let asked: Question = 'told'
  let since = process.cpuUsage()

  const turnTo = (next: typeof kind) => {
    const { user, system } = process.cpuUsage(since)
    since = process.cpuUsage()
    accounts[kind].cpuUs += user + system
    accounts[kind].requests += requests
    requests = 0
    kind = next
  }

  setInterval(() => turnTo(kind === 'on' ? 'off' : 'on'), sliceMs).unref()

  process.on('message', (question: Question) => {
    turnTo(kind)
    asked = question
    process.send?.(accounts)
    accounts = emptyAccounts()
  })

  return {
    ...limiter,
    enter(call, route) {
      requests += 1
      return kind === 'on' ? limiter.enter(call, route) : undefined
    },
    // Whoever entered in a slice that limits leaves like that in the next one, too.
    left: (call, username) => (call.passage === null && asked === 'untold' ? '[]' : limiter.left(call, username)),
    leave: (call, status) => (call.passage === null ? '' : limiter.leave(call, status)),
  }
}
