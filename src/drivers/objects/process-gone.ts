import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

/** Whether no process on this machine has this id. */
function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Identifies this process in file names: parts separated by tildes. */
export function ownName(): string {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
  return [host, process.pid, Math.round(performance.timeOrigin).toString(36)].join('~')
}

/** Process ids repeat in containers, and another machine's processes cannot be checked. */
export function isOwnerGone(name: string): boolean {
  const [host, pid, startedAt] = name.split('~')
  const [myHost, , myStart] = ownName().split('~')
  if (host !== myHost || !/^[1-9]\d*$/.test(pid ?? '')) return false
  return Number(pid) === process.pid ? startedAt !== myStart : isProcessGone(Number(pid))
}
