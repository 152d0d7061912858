import { type createJournal as CreateJournal, createJournal as createReal } from '../src/accounts/journal.ts'

export * from '../src/accounts/journal.ts'

export interface Spent {
  cpuUs: number
  requests: number
}

/** CPU of the whole process by what the journal did meanwhile. */
export interface Accounts {
  readonly on: Spent
  readonly off: Spent
  /** Counts being written, and a little longer: what a write has made the others read again. */
  readonly writing: Spent
  writes: number
}

/** So short that whatever else the machine does falls on both alike. */
const sliceMs = 37

const emptyAccounts = (): Accounts => {
  const none = () => ({ cpuUs: 0, requests: 0 })
  return { on: none(), off: none(), writing: none(), writes: 0 }
}

/** The real journal, which counts in one slice of time and not in the next; tells its parent process what each has cost. */
export const createJournal: typeof CreateJournal = (deps) => {
  const { store } = deps
  let accounts = emptyAccounts()
  let kind: 'on' | 'off' | 'writing' = 'on'
  let underWay = 0
  let requests = 0
  let since = process.cpuUsage()

  const turnTo = (next: typeof kind) => {
    const { user, system } = process.cpuUsage(since)
    since = process.cpuUsage()
    accounts[kind].cpuUs += user + system
    accounts[kind].requests += requests
    requests = 0
    kind = next
  }

  const journal = createReal({
    ...deps,
    store: {
      ...store,
      async write(batch) {
        turnTo('writing')
        accounts.writes += 1
        underWay += 1
        await store.write(batch).finally(() => {
          underWay -= 1
        })
      },
    },
  })

  setInterval(() => {
    if (underWay === 0) turnTo(kind === 'on' ? 'off' : 'on')
  }, sliceMs).unref()

  process.on('message', () => {
    turnTo(kind)
    process.send?.(accounts)
    accounts = emptyAccounts()
  })

  return {
    ...journal,
    count(userId, path) {
      requests += 1
      if (kind !== 'off') journal.count(userId, path)
    },
  }
}
