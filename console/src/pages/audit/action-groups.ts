import type { Action } from '../../../../src/accounts/actions.ts'

const accounts: readonly Action[] = [
  'ban',
  'create',
  'delete',
  'end-session',
  'login',
  'logout',
  'password',
  'register',
  'rename',
  'reset-password',
  'revoke-token',
  'role',
  'unban',
]
const keys: readonly Action[] = ['create-embed', 'create-key', 'revoke-embed', 'revoke-key', 'rotate-key']
const images: readonly Action[] = [
  'delete-object',
  'describe',
  'hide',
  'move',
  'report',
  'resolve-report',
  'unhide',
  'upload',
]
const status: readonly Action[] = [
  'acknowledge',
  'announce',
  'announce-maintenance',
  'change-component',
  'change-maintenance',
  'delete-incident',
  'end-announcement',
  'end-maintenance',
  'mute',
  'open-incident',
  'retire-component',
  'test-target',
  'unmute',
  'update-incident',
]
const reads: readonly Action[] = [
  'audit.missing',
  'audit.read',
  'ban.read',
  'duplicates.read',
  'hidden.read',
  'keys.read',
  'links.read',
  'reports.read',
  'service.read',
  'sessions.read',
  'set-aside.read',
  'status.read',
  'store.test',
  'usage.read',
  'user.read',
  'users.read',
]

/** The actions of the audit log as a person looks for them; every action is in one of them. */
export const actionGroups: readonly (readonly [label: string, actions: readonly Action[]])[] = [
  ['Accounts and sign-ins', accounts],
  ['Keys and links', keys],
  ['Images', images],
  ['Status', status],
  ['Refused reads, and tests', reads],
]
