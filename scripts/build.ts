import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommit } from '../src/config/package.ts'
import { compile, root } from './compile.ts'

/* For `npm pack`: builds dist/ (Node strips no types below node_modules) and the console. */

rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'console/build.mjs')], { stdio: 'inherit' })
// Only the declarations need the imported modules.
compile('tsconfig.build.json', '--noResolve')
compile('src/reporter/tsconfig.json')
for (const path of ['bin/package.json', 'reference/opening.md', 'reference/script', 'reference/style'])
  cpSync(join(root, 'src', path), join(root, 'dist', path), { recursive: true })
// A container's build has no .git, and is given the commit.
writeFileSync(join(root, 'dist/commit'), process.env.COMMIT || (readCommit() ?? ''))
