/*
 * The first import of every program. An older Node exits here with one line. It gets this far because src/bin is
 * JavaScript; it refuses the extension .ts.
 */
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
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

// Caches compiled code across starts, and TypeScript without its types: the start that finds all of it cached loads no
// transpiler. scripts/warm.ts fills it.
exports.compileCacheFolder = join(__dirname, '../node_modules/.cache/menagerie')
enableCompileCache(exports.compileCacheFolder)
