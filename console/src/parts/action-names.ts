import type { Action } from '../../../src/accounts/actions.ts'

type Names = Readonly<Partial<Record<Action, string>>>

const accounts = {
  ban: 'ban a user',
  password: 'change a password',
  role: 'change a role',
  create: 'create an account',
  delete: 'delete an account',
  'end-session': 'end a sign-in',
  unban: 'lift a ban',
  register: 'register an account',
  rename: 'rename a user',
  'reset-password': 'reset a password',
  'revoke-token': 'revoke all access',
  login: 'sign in',
  logout: 'sign out',
} as const satisfies Names
const keys = {
  'create-key': 'create an API key',
  'create-embed': 'create an embed link',
  'revoke-key': 'revoke an API key',
  'revoke-embed': 'revoke an embed link',
  'rotate-key': 'rotate an API key',
} as const satisfies Names
const images = {
  'delete-object': 'delete a file',
  describe: 'describe an image',
  hide: 'hide an image',
  move: 'move an image',
  report: 'report an image',
  'resolve-report': 'resolve a report',
  unhide: 'show an image again',
  upload: 'upload a file',
} as const satisfies Names
const status = {
  acknowledge: 'acknowledge an outage',
  'change-component': 'change a schedule',
  'change-maintenance': 'change maintenance',
  'delete-incident': 'delete a written incident',
  'end-announcement': 'end an announcement',
  'end-maintenance': 'end maintenance',
  mute: 'mute alerts',
  'open-incident': 'open an incident',
  'announce-maintenance': 'plan maintenance',
  announce: 'publish an announcement',
  'retire-component': 'retire a component',
  'test-target': 'test a target',
  unmute: 'unmute alerts',
  'update-incident': 'update an incident',
} as const satisfies Names
const reads = {
  'user.read': 'find a user',
  'audit.missing': 'lost audit events',
  'ban.read': 'read a ban',
  'keys.read': 'read API keys',
  'duplicates.read': 'read duplicates',
  'links.read': 'read embed links',
  'problems.read': 'read files with a problem',
  'hidden.read': 'read hidden images',
  'set-aside.read': 'read objects that are no images',
  'reports.read': 'read reports',
  'usage.read': 'read requests per day',
  'sessions.read': 'read sign-ins',
  'audit.read': 'read the audit log',
  'service.read': 'read the state of the service',
  'status.read': 'read the status',
  'users.read': 'read users',
  'store.test': 'test the store',
} as const satisfies Names

/** The actions of the audit log as a person looks for them; every action is in one of them. */
export const actionGroups: readonly (readonly [label: string, names: Names])[] = [
  ['Accounts and sign-ins', accounts],
  ['Keys and links', keys],
  ['Images', images],
  ['Status', status],
  ['Refused reads, and tests', reads],
]

/** Of a newer service there may be others. */
export const actionNames: Readonly<Record<string, string>> = {
  ...accounts,
  ...keys,
  ...images,
  ...status,
  ...reads,
}
