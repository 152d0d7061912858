/* What the console and the command line tool say of the messages to a target. */

interface Target {
  readonly isAlert: boolean
  /** What it accepted last. */
  readonly publishedStatus: string | null
}

interface Sent {
  readonly status: string
  readonly isReminder: boolean
  readonly isAcknowledgement: boolean
}

/** An alert channel hears nothing of a component that was never down. */
export const acceptedText = ({ isAlert, publishedStatus }: Target): string =>
  isAlert && publishedStatus === 'operational' ? 'no outage' : (publishedStatus ?? 'nothing')

export const sentText = ({ status, isReminder, isAcknowledgement }: Sent): string =>
  isAcknowledgement ? 'acknowledgement' : isReminder ? 'reminder' : status
