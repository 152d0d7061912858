#!/usr/bin/env node

/* The command of a package and of the systemd units. Without types, since an older Node must get as far as the prelude. */

const usage = `Usage: menagerie <command>

  start      run the API and the status worker; if one exits, so does the other
  api        run the API only
  worker     run the status worker only
  cli        administer the service; menagerie cli --help lists its commands

  --version  print the version
  --help     print this help

Settings are environment variables, or lines of .env in the working directory.
All data is in DATA_DIR, by default the folder data in the working directory.
`
const programs = new Map([
  ['start', () => import('./start.ts')],
  ['api', () => import('./api.ts')],
  ['worker', () => import('./status-worker.ts')],
  ['cli', () => import('./cli.ts')],
])

async function runCommand() {
  const [command = '', ...args] = process.argv.slice(2)
  const isHelp = [command, ...args].some((word) => word === '--help' || word === '-h' || word === 'help')
  if (isHelp && command !== 'cli') return process.stdout.write(usage)
  if (command === '--version' || command === '-V')
    return process.stdout.write(`${(await import('../config/package.ts')).readPackage().version}\n`)
  const program = programs.get(command)
  if (!program)
    return refuse(`expected start, api, worker or cli, but got ${command || 'no command'}; see menagerie --help`)
  if (command !== 'cli' && args.length > 0)
    return refuse(`${command} takes no arguments, but got ${args.join(' ')}; settings are environment variables`)
  process.argv.splice(2, 1)
  return program()
}

function refuse(message = '') {
  process.stderr.write(`menagerie: ${message}\n`)
  process.exitCode = 2
}

import('../../scripts/prelude.cjs').then(runCommand)
