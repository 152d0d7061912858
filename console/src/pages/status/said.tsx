import type { Schemas } from '../../../../client/src/client.ts'

/** What a component said with its last heartbeat, and how its run ended if that failed. */
export function Said({ exitCode, message }: Pick<Schemas['Component'], 'exitCode' | 'message'>) {
  if (!exitCode && message === null) return null
  return (
    <div className="note text" dir="auto">
      {[...(exitCode ? [`exit code ${exitCode}`] : []), ...(message === null ? [] : [message])].join(': ')}
    </div>
  )
}
