import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// For `npm pack` in a fresh clone: installs the compilers before the given build. JavaScript, for the machine's own Node.
const run = (command) => execSync(command, { stdio: ['ignore', process.stderr, 'inherit'] })
if (!existsSync('node_modules/typescript')) run('npm install')
run(`node scripts/${process.argv[2]}`)
