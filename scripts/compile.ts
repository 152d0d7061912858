import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

const compiler = join(root, 'node_modules/typescript/bin/tsc')

export const compile = (project: string, ...more: readonly string[]) =>
  execFileSync(process.execPath, [compiler, '--noCheck', '--project', project, ...more], {
    cwd: root,
    stdio: 'inherit',
  })
