/* What the console and the command line tool say of the messages to a target. */

interface Target {
  readonly isAlert: boolean
  /** What it accepted last. */
  readonly publishedStatus: string | null
  readonly retryAt: string | null
}

interface Sent {
  readonly status: string
  readonly isReminder: boolean
  readonly isAcknowledgement: boolean
}

/** An alert channel hears nothing of a component that was never down. */
export const acceptedText = ({ isAlert, publishedStatus }: Pick<Target, 'isAlert' | 'publishedStatus'>): string =>
  isAlert && publishedStatus === 'operational' ? 'no outage' : (publishedStatus ?? 'nothing')

export const sentText = ({ status, isReminder, isAcknowledgement }: Sent): string =>
  isAcknowledgement ? 'acknowledgement' : isReminder ? 'reminder' : status

/**
 * When what was not accepted is sent again; null if it is not. Alert channels get nothing while muted or in maintenance.
 */
export function triedAgainAt(
  { isAlert, retryAt }: Pick<Target, 'isAlert' | 'retryAt'>,
  { mute, maintenanceId }: { readonly mute: unknown; readonly maintenanceId: string | null },
): string | null {
  const isHeld = isAlert && (mute !== null || maintenanceId !== null)
  return isHeld ? null : retryAt
}
