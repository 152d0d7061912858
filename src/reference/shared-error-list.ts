import { errors as adminErrors } from '../accounts/admin/errors.ts'
import { errors, keyErrors } from '../accounts/errors.ts'
import { keyScopes } from '../accounts/keys.ts'
import { errors as relayErrors } from '../api/admin-status/parts.ts'
import { protocolErrors } from '../http/errors.ts'
import type { Refusal } from '../http/refusal.ts'
import { errors as imageErrors } from '../images/errors.ts'
import { errors as statusErrors } from '../status/errors.ts'
import type { SharedInput } from './shared-errors.ts'

const group = (label: string, ...refusals: Refusal[]): SharedInput => ({ label, errors: refusals })
/** What the access of a route says already. */
const access = (label: string, ...refusals: Refusal[]): SharedInput => ({ label, errors: refusals, isOfAccess: true })

const { badEncoding, badType, badJson, tooLarge, timeout, unknownParameter, unavailable } = protocolErrors
const bodyErrors = [badEncoding, badType, tooLarge, timeout]

/** What several routes refuse alike. A route whose errors include all of a group names it instead. */
export const sharedErrorList: readonly SharedInput[] = [
  access('any token', errors.tokenRequired, errors.tokenInvalid, errors.banned, unavailable),
  access('certain roles', errors.forbidden),
  access('no API keys', keyErrors.null),
  ...keyScopes.map((scope) => access(`API keys with the scope ${scope}`, keyErrors[scope])),
  access('addresses in STATUS_ADMIN_ALLOW', statusErrors.changesForbidden),
  group('database', unavailable),
  group('JSON body', ...bodyErrors, badJson),
  group('worker body', ...bodyErrors, statusErrors.badJson),
  group('known parameters', unknownParameter),
  group('dry run', adminErrors.badDryRun, adminErrors.likeDryRun, adminErrors.dryRunInBody),
  group('limit', statusErrors.badLimit),
  group('cursor', statusErrors.badCursor),
  group('sorted cursor', adminErrors.badCursor),
  group('user', adminErrors.identifierRequired, adminErrors.userNotFound),
  group('username', errors.usernameRequired, errors.badUsername),
  group('password hashing', errors.tooManyLogins),
  group('recent login', errors.passwordAgain, errors.badCredentials),
  group('console', errors.otherSite),
  group('size', imageErrors.badWidth, imageErrors.badFormat),
  group('resizing', imageErrors.notResizable, imageErrors.resizerBusy, imageErrors.rangeNotSatisfiable),
  group('tags', imageErrors.badOrientation, imageErrors.badTags, imageErrors.badWithout),
  group(
    'filters',
    imageErrors.badAnimated,
    imageErrors.badMinWidth,
    imageErrors.badMinHeight,
    imageErrors.stillReading,
  ),
  group(
    'choice',
    imageErrors.badMeta,
    imageErrors.badRepeat,
    imageErrors.badPer,
    imageErrors.badTz,
    imageErrors.perAlone,
  ),
  group('name', imageErrors.nameMissing),
  group('relay', relayErrors.workerAway),
  group('relayed change', relayErrors.changesForbidden, relayErrors.outcomeUnknown),
  group('leader', statusErrors.standingBy),
  group('saving', statusErrors.notSaved),
  group('component', statusErrors.unknown),
  group(
    'deadline',
    statusErrors.badExpectWithin,
    statusErrors.badGrace,
    statusErrors.badMaxRun,
    statusErrors.scheduleAndTimeout,
    statusErrors.noSchedule,
    statusErrors.badSchedule,
    statusErrors.badTz,
  ),
  group(
    'heartbeat',
    statusErrors.badInstance,
    statusErrors.badResponseTime,
    statusErrors.badMessage,
    statusErrors.badId,
  ),
  group('schedule', statusErrors.noSchedule, statusErrors.badSchedule, statusErrors.badTz),
  group('period', statusErrors.badTime),
  group('text', statusErrors.badText),
  group('update', statusErrors.badUpdateText, statusErrors.badStage, statusErrors.badLevel, statusErrors.badAffected),
  group('maintenance', statusErrors.unknownMaintenance, statusErrors.maintenanceOver),
]
