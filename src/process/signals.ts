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
  // Without a listener it would end the process even under nohup: Node resets a signal that it inherits as ignored.
  process.on('SIGHUP', () => stopsOnHangup && ask('SIGHUP'))
  if (process.channel) {
    process.on('disconnect', () => {
      if (askedAt === null) ask('the parent process has exited')
    })
    process.channel.unref()
  }
}
