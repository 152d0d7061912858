import { createServer } from 'node:net'
import { BadSetting } from '../config/parser.ts'

type HostSetting = 'HOST' | 'STATUS_HOST'

/** Null if the failure to listen has another reason. */
export function hostProblem(setting: HostSetting, error: unknown): string | null {
  const { code, hostname, address } = error as NodeJS.ErrnoException & { hostname?: string; address?: string }
  if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(code))) return null
  return `${setting}: expected an address of this machine, got ${JSON.stringify(hostname ?? address)} (${code})`
}

/** Listens there for a moment, on a port that is free. */
export async function checkHost(setting: HostSetting, host: string): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  } catch (error) {
    throw new BadSetting(hostProblem(setting, error) ?? `${setting}: ${(error as Error).message}`)
  } finally {
    server.close()
  }
}
