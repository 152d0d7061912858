import type { Refusal } from '../../http/refusal.ts'
import { actions, outcomes } from '../audit.ts'
import { roles } from '../roles.ts'
import { actRefusals } from './act-errors.ts'
import { maxIds, maxPageSize, maxReasonLength } from './limits.ts'

export const errors = {
  ...actRefusals,
  identifierRequired: { status: 400, message: 'userId or username is required' },
  userNotFound: { status: 404, message: 'User not found' },
  emptyUserId: { status: 400, message: 'userId must not be empty' },
  emptyUsername: { status: 400, message: 'username must not be empty' },
  emptyActor: { status: 400, message: 'actor must not be empty' },
  emptyTarget: { status: 400, message: 'target must not be empty' },
  badDryRun: { status: 400, message: 'dryRun must be true or false' },
  likeDryRun: {
    status: 400,
    message: 'Unknown parameter: <PARAMETER>; for a dry run, send dryRun=true',
    when: 'the query has a parameter that resembles `dryRun`, such as `dry_run`',
  },
  dryRunInBody: {
    status: 400,
    message: 'dryRun belongs in the query, not in the body',
    when: 'the body has `dryRun`, or a field that resembles it',
  },

  alreadyBanned: { status: 400, message: 'User is already banned' },
  badReason: { status: 400, message: `reason must be a string of at most ${maxReasonLength} characters` },
  badUntil: { status: 400, message: 'until must be an ISO 8601 timestamp in the future' },

  notBanned: { status: 400, message: 'User is not banned' },

  roleRequired: { status: 400, message: 'role is required and must be a string' },
  badRole: { status: 400, message: 'Invalid role provided' },

  newUsernameRequired: { status: 400, message: 'newUsername is required' },
  badNewUsername: {
    status: 400,
    message: 'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
  },
  usernameTaken: { status: 409, message: 'Username already exists' },

  usernameRequired: { status: 400, message: 'username is required' },
  cannotCreate: { status: 403, message: 'You do not have permission to create a user with this role' },

  badLimit: { status: 400, message: `limit must be a whole number from 1 to ${maxPageSize}` },
  badCursor: { status: 400, message: 'cursor must be the `next` value of a previous response, with the same sort' },
  badSort: { status: 400, message: 'sort must be createdAt, username or total, with - in front for descending' },
  badRoleFilter: { status: 400, message: `role must be one of ${roles.join(', ')}` },
  badIds: { status: 400, message: `ids must be at most ${maxIds} user ids, separated by commas` },
  badBannedFilter: { status: 400, message: 'banned must be true or false' },
  badEventId: { status: 400, message: 'id must be the id of an event' },
  badAction: { status: 400, message: `action must be one of ${actions.join(', ')}` },
  badOutcome: { status: 400, message: `outcome must be one of ${outcomes.join(', ')}` },
  badFrom: { status: 400, message: 'from must be a date (2026-01-31) or an ISO 8601 timestamp' },
  badTo: { status: 400, message: 'to must be a date (2026-01-31) or an ISO 8601 timestamp' },
  badRange: { status: 400, message: 'from must not be after to' },
} as const satisfies Record<string, Refusal>
