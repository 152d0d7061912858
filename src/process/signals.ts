export interface SignalActs {
  /** Asked to stop: once. */
  stop(reason: string): void
  /** Asked again: at once, whatever is under way. */
  force(): void
}

/** A terminal signals the whole group and the parent forwards: signals this close together are one. */
export const sameSignalMs = 1_000

/** SIGTERM and SIGINT stop, a later one forces; SIGHUP does nothing; a child whose parent has gone stops too. */
export function watchSignals({ stop, force }: SignalActs): void {
  let askedAt: number | null = null
  const ask = (reason: string) => {
    const now = performance.now()
    if (askedAt === null) {
      askedAt = now
      stop(reason)
    } else if (now - askedAt > sameSignalMs) force()
  }
  process.on('SIGTERM', () => ask('SIGTERM'))
  process.on('SIGINT', () => ask('SIGINT'))
  process.on('SIGHUP', () => {})
  if (process.channel) {
    process.on('disconnect', () => {
      if (askedAt === null) ask('the parent process has gone')
    })
    process.channel.unref()
  }
}
