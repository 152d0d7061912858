import { hash } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { actOnUser } from '../src/accounts/admin/act-on-user.ts'
import { ban, changeRole, rename, revokeToken, unban } from '../src/accounts/admin/acts.ts'
import { cliOrigin } from '../src/accounts/audit.ts'
import { newAccount } from '../src/accounts/users.ts'
import { argon2Hasher } from '../src/drivers/accounts/argon2.ts'
import { openSqlite } from '../src/drivers/accounts/sqlite.ts'
import { dayMs } from '../src/lib/timestamps.ts'
import { planKeysAndLinks } from './grants.ts'
import { planReports, planUploads } from './images.ts'
import { planUsage } from './usage.ts'
import { banReasons } from './words.ts'
import { createWorld, hourMs, type Member, type Seeding, type World } from './world.ts'

/** Writes accounts and their history by the use cases and stores of the service, each act at its time. */
export async function seedAccounts(seeding: Seeding): Promise<readonly Member[]> {
  const database = await openSqlite(seeding.dataDir)
  try {
    // A thousand transactions: nothing is lost if the machine stops now.
    await database.kysely.executeQuery(CompiledQuery.raw('PRAGMA synchronous = OFF'))
    const world = createWorld(database, seeding)
    // One for all: 200 hashes take seconds.
    planAccounts(world, await argon2Hasher.hash(seeding.password))
    planActs(world)
    planKeysAndLinks(world)
    planUploads(world)
    planReports(world)
    planUsage(world)
    await world.plan.run()
    return world.members
  } finally {
    await database.close()
  }
}

/** Members register and log in; the keeper creates the staff. Some logins fail. */
function planAccounts(world: World, passwordHash: string): void {
  const { chance, plan, users, members, keeper, by, newId, sometime, record, pending } = world
  const tokenHashOf = () => hash('sha256', newId())
  const join = async (member: Member) => {
    const { id, username, role, joinedAt: now } = member
    const isOwn = role === 'user'
    const account = newAccount({ id, username, role, passwordHash, tokenHash: isOwn ? tokenHashOf() : null, now })
    const origin = isOwn ? by(member) : member === keeper ? cliOrigin : by(keeper)
    await users.insert(account, { action: isOwn ? 'register' : 'create', by: origin })
  }
  const logIn = (member: Member) =>
    users.change({ action: 'login', by: by(member), target: { id: member.id } }, ({ target }) =>
      target?.banned ? null : { values: { tokenHash: tokenHashOf() } },
    )
  const guess = (member: Member) => {
    const stranger = { ...by(member), actor: null, address: `203.0.113.${chance.between(1, 254)}` }
    const attempt = { action: 'login', outcome: 'refused: Invalid credentials', target: member.id }
    return record({ events: [{ ...pending(stranger), ...attempt, count: chance.between(1, 5) }] })
  }
  for (const member of members) {
    plan.at(member.joinedAt, () => join(member))
    for (let logins = chance.between(0, 3); logins > 0; logins--) plan.at(sometime(member), () => logIn(member))
    if (chance.isTrue(0.2)) plan.at(sometime(member), () => guess(member))
  }
}

/** What administrators do to accounts. */
function planActs(world: World): void {
  const { chance, plan, now, sometime, some, of, by, byAdministrator, keeper } = world
  for (const [place, member] of some(14).entries()) {
    const from = sometime(member)
    const reason = place % 5 === 4 ? null : chance.pick(banReasons)
    const until = place % 3 === 0 ? null : from + chance.pick([7, 30, 90]) * dayMs
    plan.at(from, () => actOnUser(world, ban, byAdministrator(), member, { reason, until }))
    if (place % 7 === 6 && from + dayMs < now)
      plan.at(from + dayMs, () => actOnUser(world, unban, byAdministrator(), member, {}))
  }
  for (const member of some(4))
    plan.at(sometime(member), () => actOnUser(world, revokeToken, byAdministrator(), member, {}))
  for (const member of some(4)) {
    const newUsername = `${member.username}-${chance.between(2, 99)}`
    plan.at(sometime(member), () => actOnUser(world, rename, byAdministrator(), member, { newUsername }))
  }
  for (const member of of('support').slice(0, 2)) {
    const at = sometime(member)
    plan.at(at, () => actOnUser(world, changeRole, by(keeper), member, { role: 'moderator' }))
    plan.at(at + hourMs, () => actOnUser(world, changeRole, by(keeper), member, { role: 'support' }))
  }
}
