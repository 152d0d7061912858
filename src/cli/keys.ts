import { type Command, InvalidArgumentError, Option } from 'commander'
import { actOnUser } from '../accounts/admin/act-on-user.ts'
import { revokeUserKey } from '../accounts/admin/acts.ts'
import { cliOrigin } from '../accounts/audit.ts'
import { createKey, type IssuedKey, type NewKey, rotateKey } from '../accounts/change-keys.ts'
import { errors } from '../accounts/errors.ts'
import { type ApiKey, isKeyName, type KeyScope, keyScopes, maxGraceSeconds, maxKeyLimit } from '../accounts/keys.ts'
import { toKey } from '../accounts/schemas.ts'
import { duration } from '../config/formats.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Accounts, findAccount, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed } from './failure.ts'
import { wholeNumber } from './numbers.ts'
import { onOneLine, quoted } from './output.ts'

interface Terms extends Omit<NewKey, 'expiresInMs'> {
  readonly expiresIn?: number | null
}

export function keyCommands(program: Command, cli: Cli): void {
  const key = program.command('key').description('create, inspect and revoke API keys of users')
  key
    .command('create')
    .description('Create an API key. Its secret is printed once, and stored nowhere.')
    .argument('<username|id>')
    .addOption(new Option('--name <name>', 'to tell keys apart').argParser(readName).makeOptionMandatory())
    .addOption(
      new Option('--scopes <list>', `what the key opens: ${keyScopes.join(', ')}`)
        .choices(keyScopes)
        .argParser(readScopes)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--expires-in <duration>', 'such as 12h or 30d, or never; by default 365d').argParser(readLifetime),
    )
    .addOption(new Option('--limit-per-minute <requests>', 'limit of the key').argParser(wholeNumber(1, maxKeyLimit)))
    .action((who: string, terms: Terms) => printCreated(cli, who, terms))
  key
    .command('list')
    .description('List the API keys of a user, oldest first.')
    .argument('<username|id>')
    .action((who: string) => printKeys(cli, who))
  key
    .command('rotate')
    .description('Give an API key a new secret, which is printed once.')
    .argument('<key-id>')
    .addOption(
      new Option('--grace-seconds <seconds>', 'how long older secrets stay valid')
        .argParser(wholeNumber(0, maxGraceSeconds))
        .default(0),
    )
    .action((id: string, { graceSeconds }: { graceSeconds: number }) => printRotated(cli, id, graceSeconds))
  key
    .command('revoke')
    .description('Revoke an API key: requests with it are refused.')
    .argument('<key-id>')
    .option('--yes', 'do not ask for confirmation')
    .action((id: string, { yes }: { yes?: boolean }) => revoke(cli, id, yes))
}

function readName(text: string): string {
  if (isKeyName(text)) return text
  throw new InvalidArgumentError(`${errors.badKeyName.message}.`)
}

function readScopes(text: string, before: readonly KeyScope[] = []): readonly KeyScope[] {
  const list = text.split(',').map((part) => part.trim() as KeyScope)
  if (list.every((scope) => keyScopes.includes(scope))) return [...before, ...list]
  throw new InvalidArgumentError(`Expected a comma-separated list of ${keyScopes.join(', ')}.`)
}

/** Null: never. */
function readLifetime(text: string): number | null {
  if (text === 'never') return null
  const ms = duration.read(text)
  if (ms === undefined) throw new InvalidArgumentError(`Expected ${duration.expected}, or never.`)
  return ms
}

const operatorOn = (userId: string) => ({ by: cliOrigin, userId, check() {} })

/** Prints only the secret on standard output, for scripts. */
async function printIssued({ out }: Cli, { key, secret }: IssuedKey, note: string): Promise<void> {
  await out.print({ ...toKey(key), key: secret }, secret)
  out.note(note)
}

const printCreated = (cli: Cli, who: string, { expiresIn: expiresInMs, ...terms }: Terms) =>
  withAccounts(cli, { mayMake: false }, async (accounts) => {
    const { id, username } = await findAccount(accounts.users, who)
    const issued = await createKey(accounts, operatorOn(id), { ...terms, expiresInMs })
    await printIssued(cli, issued, `API key ${issued.key.id} of ${username}. The secret is shown only here.`)
  })

const printKeys = (cli: Cli, who: string) =>
  withAccounts(cli, { mayMake: false }, async ({ users }) => {
    const keys = await users.keysOf((await findAccount(users, who)).id)
    const text = keys.length === 0 ? 'No API keys.' : cli.out.list(heading, keys.map(rowOf))
    await cli.out.print({ keys: keys.map(toKey) }, text)
  })

const heading = ['NAME', 'SCOPES', 'PER MINUTE', 'LAST USED', 'REQUESTS', 'EXPIRES', 'CREATED', 'ID']

const rowOf = (key: ApiKey) => [
  onOneLine(key.name),
  key.scopes.join(','),
  String(key.limitPerMinute ?? 'any'),
  key.lastUsedAt === null ? 'never' : isoTime(key.lastUsedAt),
  String(key.requests),
  key.expiresAt === null ? 'never' : isoTime(key.expiresAt),
  isoTime(key.createdAt),
  key.id,
]

async function findKey({ users }: Accounts, keyId: string): Promise<{ key: ApiKey; username: string }> {
  const owner = await users.ownerOfKey(keyId)
  const account = owner === null ? null : await users.find({ id: owner })
  const key = account && (await users.keysOf(account.id)).find(({ id }) => id === keyId)
  if (!key) throw new Failed(`No API key with the id ${quoted(keyId)}; run key list <username> to see those of a user.`)
  return { key, username: account.username }
}

const printRotated = (cli: Cli, keyId: string, graceSeconds: number) =>
  withAccounts(cli, { mayMake: false }, async (accounts) => {
    const { key, username } = await findKey(accounts, keyId)
    const issued = await rotateKey(accounts, operatorOn(key.userId), { keyId, graceSeconds })
    const older = graceSeconds === 0 ? 'Older secrets are invalid.' : `Older secrets end in ${graceSeconds} s.`
    await printIssued(cli, issued, `API key ${keyId} of ${username} has a new secret, shown only here. ${older}`)
  })

async function revoke(cli: Cli, keyId: string, yes = false): Promise<void> {
  if (!yes) cli.ask.checkPossible()
  await withAccounts(cli, { mayMake: false }, async (accounts) => {
    const { key, username } = await findKey(accounts, keyId)
    const called = `API key ${quoted(key.name)} of ${username}`
    if (!yes) await cli.ask.confirm(`${called} will be revoked: requests with it will be refused.`)
    await actOnUser(accounts, revokeUserKey, cliOrigin, { id: key.userId }, { keyId })
    await cli.out.print({ changed: true, key: toKey(key) }, `${called} is revoked.`)
  })
}
