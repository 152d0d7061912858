/*
 * The first import of every program: an older Node exits here with one line. It gets this far because src/bin is
 * CommonJS without types; it refuses the extension .ts in ES modules.
 */
const { existsSync } = require('node:fs')
const { join, relative } = require('node:path')

const minNode = 24

if (Number.parseInt(process.versions.node, 10) < minNode) {
  const pinned = relative('', join(__dirname, '../node_modules/.bin/node'))
  const command = [pinned, relative('', process.argv[1]), ...process.argv.slice(2)].join(' ')
  const install = existsSync(pinned) ? '' : 'npm install && '
  const advice = existsSync(join(__dirname, '../src')) ? `; run: ${install}${command}` : ''
  process.stderr.write(`Node ${process.versions.node} is too old, expected ${minNode} or newer${advice}\n`)
  process.exit(1)
}
