import type { AuditEvent } from '../../accounts/audit.ts'
import type { AuditTable } from './database.ts'

export const auditColumns = [
  'id',
  'at',
  'action',
  'outcome',
  'actor',
  'target',
  'address',
  'request_id',
  'before',
  'after',
] as const satisfies readonly (keyof AuditTable)[]

type Written = Omit<AuditEvent, 'outcome' | 'before' | 'after'> & Partial<AuditEvent>

export const eventRow = (event: Written): AuditTable => ({
  id: event.id,
  at: event.at,
  action: event.action,
  outcome: event.outcome ?? 'success',
  actor: event.actor,
  target: event.target,
  address: event.address,
  request_id: event.requestId,
  before: event.before ? JSON.stringify(event.before) : null,
  after: event.after ? JSON.stringify(event.after) : null,
})

export const eventOf = (row: AuditTable): AuditEvent => ({
  id: row.id,
  at: row.at,
  action: row.action,
  outcome: row.outcome,
  actor: row.actor,
  target: row.target,
  address: row.address,
  requestId: row.request_id,
  before: row.before === null ? null : JSON.parse(row.before),
  after: row.after === null ? null : JSON.parse(row.after),
})
