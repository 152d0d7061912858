/** Signals this close together count as one: a terminal signals the whole group, and the parent forwards. */
export const sameSignalMs = 1_000

interface Stops {
  stop(reason: string): void
  force(): void
  /** Whether SIGHUP stops too. */
  readonly stopsOnHangup?: boolean
}

/** SIGTERM and SIGINT stop, a later one forces. A child stops when its parent has exited. */
export function watchSignals({ stop, force, stopsOnHangup = false }: Stops): void {
  let stoppedAt: number | null = null
  const receive = (reason: string) => {
    const now = performance.now()
    if (stoppedAt === null) {
      stoppedAt = now
      stop(reason)
    } else if (now - stoppedAt > sameSignalMs) force()
  }
  process.on('SIGTERM', () => receive('SIGTERM'))
  process.on('SIGINT', () => receive('SIGINT'))
  // Without a listener it would end the process even under nohup: Node resets a signal that it inherits as ignored.
  process.on('SIGHUP', () => stopsOnHangup && receive('SIGHUP'))
  if (process.channel) {
    process.on('disconnect', () => {
      if (stoppedAt === null) receive('the parent process has exited')
    })
    process.channel.unref()
  }
}
