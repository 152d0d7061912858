import { availableParallelism } from 'node:os'
import { createEmbedTokens } from '../accounts/embed-tokens.ts'
import { ensureOwner, firstOwnerOf } from '../accounts/ensure-owner.ts'
import { createGuard } from '../accounts/guard.ts'
import { createJournal } from '../accounts/journal.ts'
import { createPasswords, hashLimits } from '../accounts/passwords.ts'
import { createTokens } from '../accounts/tokens.ts'
import type { Users } from '../accounts/users.ts'
import type { Config } from '../config/config.ts'
import { argon2Hasher } from '../drivers/accounts/argon2.ts'
import { withServiceClock } from '../drivers/accounts/database.ts'
import { createDetailsStore } from '../drivers/accounts/details-store.ts'
import { createDirectory } from '../drivers/accounts/directory.ts'
import { createEmbedLinks } from '../drivers/accounts/embed-links.ts'
import { createJournalStore } from '../drivers/accounts/journal-store.ts'
import { readOrMakeSecret } from '../drivers/accounts/jwt-secret.ts'
import { createLooks } from '../drivers/accounts/looks.ts'
import { awaitDatabase } from '../drivers/accounts/open-database.ts'
import { createPeriodImages } from '../drivers/accounts/period-images.ts'
import { createReportStore } from '../drivers/accounts/report-store.ts'
import { createUserStore } from '../drivers/accounts/user-store.ts'
import { createWalks } from '../drivers/accounts/walks.ts'
import { prepareDataDir, warnOfOpenDataDir } from '../drivers/data-dir.ts'
import { takesConnection } from '../drivers/image-news/open-news.ts'
import { AbsentImages } from '../images/details/absent-images.ts'
import { KnownDetails } from '../images/details/known-details.ts'
import { HiddenImages } from '../images/hidden-images.ts'
import { AbsentLooks } from '../images/sizes/absent-looks.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { dayMs } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import type { ApiOverrides } from './api.ts'
import type { ApiMetrics } from './metrics.ts'
import * as observed from './observed-accounts.ts'
import { prepareWith } from './preparation.ts'
import type { Closable } from './shutdown.ts'

export interface Base {
  readonly config: Config
  readonly overrides: ApiOverrides
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Logger
  readonly metrics: ApiMetrics
  /** What has been opened so far, to close in reverse order. */
  readonly opened: Closable[]
}

export type AccountParts = Awaited<ReturnType<typeof openAccounts>>

/** Opens the database and the parts that need it. */
export async function openAccounts(base: Base) {
  const { config, overrides, clock, newId, log, opened } = base
  const { ofDatabase } = base.metrics
  const owner = firstOwnerOf(config)
  prepareDataDir(config.DATA_DIR)
  warnOfOpenDataDir(config.DATA_DIR, log)
  const max = config.DATABASE_POOL_MAX - Number(takesConnection(config))
  const real = await awaitDatabase({ ...config, DATABASE_POOL_MAX: max }, log, overrides.databaseTimes)
  opened.push(real)
  // A test's clock is also the database's.
  const database = overrides.clock ? withServiceClock(real) : real
  const stored = { clock, newId }
  const realUsers = createUserStore(database, stored)
  const users = observed.users(overrides.users?.(realUsers) ?? realUsers, ofDatabase)
  const { secret, isNew } = secretOf(config, log)
  const embedLinks = observed.embedLinks(createEmbedLinks(database, stored), ofDatabase)
  const embedTokens = createEmbedTokens(secret)
  const tokens = createTokens({ secret, ttlMs: config.TOKEN_TTL, clock, newId })
  const passwords = createPasswords({
    hasher: overrides.hasher ?? argon2Hasher,
    minLength: config.PASSWORD_MIN_LENGTH,
    slots: Math.min(hashLimits.slots, availableParallelism()),
    queue: hashLimits.queue,
  })
  const journalStore = observed.journalStore(createJournalStore(database, stored), ofDatabase)
  const journal = createJournal({
    store: journalStore,
    clock,
    newId,
    log,
    keepUsageDays: config.USAGE_KEEP_DAYS,
    keepAuditDays: config.AUDIT_KEEP_DAYS,
  })
  // A shutdown closes it first; this is for a start that fails.
  opened.push(journal)
  const directory = observed.port(createDirectory(database, { clock }), ofDatabase, 'directory')
  const guard = createGuard({ users, tokens, journal, cookies: cookiesOf(config) })
  const reports = createReportStore(database, stored)
  const hidden = new HiddenImages(reports)
  const store = observed.port(createDetailsStore(database, stored), ofDatabase, 'details')
  const common = { store, kinds: config.imageKinds, log }
  const details = new KnownDetails({ ...common, bucket: config.S3_BUCKET })
  const keepMs = config.IMAGE_DETAILS_KEEP_DAYS * dayMs
  const absentImages = new AbsentImages({ ...common, known: details, hidden, clock, keepMs })
  opened.push(hidden, details, absentImages)
  const preparation = await prepareWith(async () => {
    await database.prepare()
    if (isNew && !(await realUsers.isEmpty()))
      log.warn('jwt-secret was missing and has been regenerated: all earlier tokens are invalid')
    if (owner) await ensureOwner({ users, passwords, clock, newId }, owner, log)
    await warnOfExempt(config, realUsers, log)
    await hidden.refresh()
  })
  opened.push(preparation)
  const parts = { database, users, tokens, embedLinks, embedTokens, passwords, directory, journal, guard, clock, newId }
  const walks = observed.walks(createWalks(database), ofDatabase)
  const looks = observed.port(createLooks(database), ofDatabase, 'looks')
  const absentLooks = new AbsentLooks({ looks, kinds: config.imageKinds, clock, log })
  opened.push(absentLooks)
  const savedPeriods = observed.periodImages(createPeriodImages(database), ofDatabase)
  return {
    ...parts,
    journalStore,
    preparation,
    reports,
    hidden,
    details,
    absentImages,
    walks,
    savedPeriods,
    looks,
    absentLooks,
  }
}

const cookiesOf = ({ CONSOLE, BASE_URL }: Config) => ({
  areRead: CONSOLE,
  baseOrigin: BASE_URL === null ? null : new URL(BASE_URL).origin,
})

/** Whoever registers that name becomes exempt. */
async function warnOfExempt(config: Config, users: Users, log: Logger): Promise<void> {
  const { RATE_LIMIT_EXEMPT_USERNAME: username } = config
  if (username !== null && !(await users.find({ username })))
    log.warn({ username }, 'RATE_LIMIT_EXEMPT_USERNAME has no account yet: create it before another user does')
}

function secretOf(config: Config, log: Logger): { secret: string; isNew: boolean } {
  if (config.JWT_SECRET !== null) return { secret: config.JWT_SECRET, isNew: false }
  if (config.DATABASE_URL !== null)
    log.warn(
      "JWT_SECRET is not set: if there are other instances on this database, give all of them the same JWT_SECRET or JWT_SECRET_FILE, or they reject each other's tokens",
    )
  return readOrMakeSecret(config.DATA_DIR)
}
