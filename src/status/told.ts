/* What the console and the command line tool say of the messages to a target. */

interface Target {
  readonly isAlert: boolean
  /** What it accepted last. */
  readonly publishedStatus: string | null
  readonly push: string
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

/** Until it is accepted, or something else is to be sent. Alert channels get nothing while muted or in maintenance. */
export function isTriedAgain(
  { isAlert, push }: Pick<Target, 'isAlert' | 'push'>,
  { mute, maintenanceId }: { readonly mute: unknown; readonly maintenanceId: string | null },
): boolean {
  const isHeld = isAlert && (mute !== null || maintenanceId !== null)
  return !isHeld && (push === 'waiting' || push === 'unknown')
}
