import { processesWithFilesIn } from '../drivers/folder-users.ts'
import { Failed } from './failure.ts'

/** Refuses to touch a folder that the service uses. */
export function checkUnused(folder: string, name = folder): void {
  const users = processesWithFilesIn(folder)
  if (users.length > 0) throw new Failed(`${name} is in use by process ${users.join(', ')}; stop the service first.`)
}
