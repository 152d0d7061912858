import type { Schemas } from '../../../../client/src/client.ts'

/** Whether an incident is not about silence, but about a run that did not end in time: its message begins with which. */
export const isOfRun = (message: string | null) => /^The run of .+ did not end within /.test(message ?? '')

interface Props extends Pick<Schemas['Component'], 'exitCode' | 'message'> {
  readonly heartbeat?: Schemas['Component']['heartbeat']
}

/** What a component said with its last heartbeat, and how its run ended if that failed. */
export function Said({ exitCode, message, heartbeat }: Props) {
  const parts = [exitCode ? `exit code ${exitCode}` : null, message].filter((part) => part !== null)
  return (
    parts.length > 0 && (
      <div className="note text" dir="auto">
        {heartbeat === 'missed' && 'Last message: '}
        {parts.join(': ')}
      </div>
    )
  )
}
