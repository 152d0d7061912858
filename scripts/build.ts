import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

/* Compiles what the package exports to dist/: Node strips no types below node_modules. `npm pack` runs it first. */

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
