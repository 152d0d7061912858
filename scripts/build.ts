import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/* Compiles the package to dist/, since Node strips no types below node_modules. `npm pack` runs it first. */

const root = join(import.meta.dirname, '..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const compile = (project: string) =>
  execFileSync(process.execPath, [compiler, '--project', project], { cwd: root, stdio: 'inherit' })

rmSync(join(root, 'dist'), { recursive: true, force: true })
compile('tsconfig.build.json')
compile('src/reporter/tsconfig.json')
for (const path of ['bin/package.json', 'reference/opening.md', 'reference/script', 'reference/style'])
  cpSync(join(root, 'src', path), join(root, 'dist', path), { recursive: true })
