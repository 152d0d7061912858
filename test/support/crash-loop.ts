import { type Api, end, integrityOf, start } from './killed-service.ts'
import { sized } from './size.ts'
import { seededRandom } from './uniform.ts'
import { until } from './until.ts'

export interface CrashLoopOptions {
  readonly dataDir: string
  readonly kills: number
  readonly seed: number
}

export interface CrashReport {
  /** Answered under fire. */
  registers: number
  logins: number
  /** Sent, but killed before the answer: they may or may not have happened. */
  unknown: number
  /** Broken promises. */
  readonly lost: string[]
  readonly tokens: string[]
  readonly torn: string[]
  readonly damage: string[]
  /** Any other answer under fire, or an exit that we did not cause. */
  readonly refusals: string[]
}

interface Account {
  readonly username: string
  readonly password: string
  /** False while its register has been sent but not answered. */
  registered: boolean
  /** The token of the newest answered register or login. */
  token: string
  /** A token that a newer answered login has replaced. */
  replaced: string | undefined
  /** A login has been sent but not answered: it may have replaced the token. */
  tokenUnsure: boolean
  /** Written under fire since it was last checked. */
  written: boolean
  /** Has a token that has not been verified after a restart. */
  unproven: boolean
}

export const writers = sized(4, 8)
const answersIn = ({ registers, logins }: CrashReport) => registers + logins

/** Kills the real service at random moments while it writes. What it had answered must still be there afterwards. */
export async function crashLoop({ dataDir, kills, seed }: CrashLoopOptions): Promise<CrashReport> {
  const random = seededRandom(seed)
  const report: CrashReport = emptyReport()
  const accounts: Account[] = []
  for (let kill = 0; kill <= kills; kill += 1) {
    const api = await start(dataDir)
    try {
      await verify(api, accounts, report, kill === kills)
      report.damage.push(...integrityOf(dataDir))
      if (kill === kills) break
      const known = accounts.slice(-4 * writers)
      const fire = Array.from({ length: writers }, (_, writer) => {
        const own = known.filter((_, i) => i % writers === writer)
        return write(api, accounts, own, `crash-${kill}-${writer}`, random, report)
      })
      // A moment that depends on the traffic: after this many answers, a login among them.
      const { logins } = report
      const enough = answersIn(report) + 1 + Math.floor(random() * 2 * writers)
      const isEnough = () => answersIn(report) >= enough && report.logins > logins
      await until(() => isEnough() || report.refusals.length > 0 || api.child.exitCode !== null)
      if (api.child.exitCode !== null) report.refusals.push(`the service ended by itself, code ${api.child.exitCode}`)
      api.child.kill('SIGKILL')
      await Promise.all(fire)
    } finally {
      await end(api)
    }
  }
  return report
}

/** One request after another, so that the events of an account have one order; no two writers share an account. */
async function write(
  api: Api,
  accounts: Account[],
  own: Account[],
  name: string,
  random: () => number,
  report: CrashReport,
) {
  for (let i = 0; ; i += 1) {
    const known = random() < 0.6 ? own[Math.floor(random() * own.length)] : undefined
    const account = known ?? newAccount(`${name}-${i}`)
    account.written = true
    account.unproven = true
    if (known) account.tokenUnsure = true
    else accounts.push(account)
    const answer = await post(api, known ? '/auth/login' : '/auth/register', account)
    if (!answer) {
      report.unknown += 1
      return
    }
    if (answer.status !== (known ? 200 : 201)) {
      report.refusals.push(`${known ? 'login' : 'register'} of ${account.username}: ${answer.status} ${answer.text}`)
      return
    }
    if (known) report.logins += 1
    else report.registers += 1
    accept(account, answer.text)
    if (!known) own.push(account)
  }
}

function accept(account: Account, text: string): void {
  account.replaced = account.token || undefined
  account.token = JSON.parse(text).accessToken
  account.registered = true
  account.tokenUnsure = false
}

async function verify(api: Api, accounts: readonly Account[], report: CrashReport, all: boolean): Promise<void> {
  const queue = accounts.filter(({ written, unproven }) => all || written || unproven)
  const work = async () => {
    for (let account = queue.pop(); account; account = queue.pop()) await verifyOne(api, account, report, all)
  }
  await Promise.all(Array.from({ length: writers }, work))
}

async function verifyOne(api: Api, account: Account, report: CrashReport, all: boolean): Promise<void> {
  const { username } = account
  if (!account.registered) return verifyUnanswered(api, account, report)
  if (account.replaced && (await statusOfMe(api, account.replaced)) !== 401)
    report.tokens.push(`${username}: a token that a newer login had replaced came back`)
  const status = account.tokenUnsure ? 200 : await statusOfMe(api, account.token)
  if (status !== 200) report.tokens.push(`${username}: the newest token answers ${status}`)
  account.unproven = false
  if (!account.written && !all) return
  const answer = await post(api, '/auth/login', account)
  if (answer?.status === 200) accept(account, answer.text)
  else report.lost.push(`${username}: login answers ${answer?.status} ${answer?.text}`)
  account.written = false
  account.unproven = true
}

/** An account whose register got no answer exists with its password, or its name is free. */
async function verifyUnanswered(api: Api, account: Account, report: CrashReport): Promise<void> {
  const login = await post(api, '/auth/login', account)
  const answer = login?.status === 401 ? await post(api, '/auth/register', account) : login
  if (answer?.status === 200 || answer?.status === 201) accept(account, answer.text)
  else report.torn.push(`${account.username}: ${login?.status}, then ${answer?.status} ${answer?.text}`)
  account.written = false
}

/** Undefined if the connection broke before the whole answer had arrived. */
async function post({ url }: Api, path: string, { username, password }: Account) {
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

async function statusOfMe({ url }: Api, token: string): Promise<number> {
  const response = await fetch(`${url}/auth/me`, { headers: { Authorization: token } })
  await response.text()
  return response.status
}

const newAccount = (username: string): Account => ({
  username,
  password: `correct horse ${username}`,
  registered: false,
  token: '',
  replaced: undefined,
  tokenUnsure: false,
  written: false,
  unproven: false,
})

const emptyReport = (): CrashReport => ({
  registers: 0,
  logins: 0,
  unknown: 0,
  lost: [],
  tokens: [],
  torn: [],
  damage: [],
  refusals: [],
})
