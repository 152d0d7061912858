import { execSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

// npm runs this in a checkout after changing node_modules; an installed package needs no script.

// npm 10 removes the link to the pinned Node along with the platforms that it skips.
if (!existsSync('node_modules/.bin/node')) execSync('npm rebuild --ignore-scripts', { stdio: 'ignore' })
if (existsSync('package-lock.json')) keepAlike('package-lock.json')
try {
  execSync('node scripts/warm.ts', { stdio: 'ignore' })
} catch {
  // Without the pinned Node or in a read-only folder, the first start takes longer, and fills the cache.
}

/**
 * The lock file is the same, whatever npm and registry wrote it. With its address, npm finds a package in its cache; the
 * host, which none has, stands for the registry (.npmrc). npm 11 adds the C library of binaries, which npm 10 removes.
 */
function keepAlike(path) {
  const before = readFileSync(path, 'utf8')
  const lock = JSON.parse(before)
  for (const [place, { name, version, resolved: _, libc: __, ...entry }] of Object.entries(lock.packages)) {
    if (entry.integrity === undefined) continue
    const full = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const resolved = `https://npm.invalid/${full}/-/${full.split('/').at(-1)}-${version}.tgz`
    lock.packages[place] = { ...(name && { name }), version, resolved, ...entry }
  }
  const after = `${JSON.stringify(lock, null, 2)}\n`
  if (after !== before) writeFileSync(path, after)
}
