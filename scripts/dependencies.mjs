import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// npm runs this in a checkout after changing node_modules; an installed package needs no script.

// npm 10 removes the link to the pinned Node along with the platforms that it skips.
if (!existsSync('node_modules/.bin/node')) execSync('npm rebuild --ignore-scripts', { stdio: 'ignore' })
try {
  execSync('node scripts/warm.ts', { stdio: 'ignore' })
} catch {
  // Without the pinned Node or in a read-only folder, the first start takes longer, and fills the cache.
}
