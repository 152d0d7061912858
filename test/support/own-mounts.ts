import { execFileSync } from 'node:child_process'

/** Begins a command that runs in mount and user namespaces of its own. */
export const apart = ['unshare', '--map-root-user', '--mount'] as const

/** Begins a command after this script, whose mounts only the command sees. */
export const mounted = (script: string) => [...apart, 'sh', '-c', `${script} && exec "$@"`, 'sh'] as const

/** Why nothing can be mounted here; false if it can. */
export function noMounts(): string | false {
  try {
    const [file, ...args] = [...apart, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']
    execFileSync(file as string, args, { stdio: 'ignore' })
    return false
  } catch {
    return 'mounting needs user namespaces'
  }
}
