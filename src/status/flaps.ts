import type { Component, Moment, Rules } from './component.ts'
import type { Publication, Wanted } from './publication.ts'
import { isDown } from './statuses.ts'

/** A recovery that may be a flap waits, except for announced maintenance. */
export function isFlap(
  { publishedStatus }: Publication,
  component: Component,
  wanted: Wanted,
  now: Moment,
  rules: Rules,
) {
  const isRecovery = publishedStatus !== null && isDown(publishedStatus) && !isDown(wanted.status)
  return (
    isRecovery &&
    component.maintenanceId === null &&
    component.retiredAs === null &&
    now.monotonic < component.upSince + (rules.flapMs ?? 0)
  )
}
