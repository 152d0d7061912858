import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommit } from '../src/config/package.ts'

/* For `npm pack`: builds dist/ and client/dist/ (Node strips no types below node_modules) and the console. */

const root = join(import.meta.dirname, '..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const compile = (project: string, ...more: readonly string[]) =>
  execFileSync(process.execPath, [compiler, '--noCheck', '--project', project, ...more], {
    cwd: root,
    stdio: 'inherit',
  })

for (const dist of ['dist', 'client/dist']) rmSync(join(root, dist), { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'console/build.mjs')], { stdio: 'inherit' })
// Only the declarations need the imported modules.
compile('tsconfig.build.json', '--noResolve')
compile('src/reporter/tsconfig.json')
compile('client/tsconfig.json')
cpSync(join(root, 'dist/reporter'), join(root, 'client/dist/reporter'), { recursive: true })
cpSync(join(root, 'LICENSE'), join(root, 'client/dist/LICENSE'))
for (const path of ['bin/package.json', 'reference/opening.md', 'reference/script', 'reference/style'])
  cpSync(join(root, 'src', path), join(root, 'dist', path), { recursive: true })
// A container's build has no .git, and is given the commit.
writeFileSync(join(root, 'dist/commit'), process.env.COMMIT || (readCommit() ?? ''))
