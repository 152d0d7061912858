import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

// `prepare` of this workspace: npm runs it at each install in a checkout. Without Vite the console is left out.

const root = join(import.meta.dirname, '..')
const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
const sources = globSync(
  [
    'console/src/**',
    'console/*.*',
    'client/src/**',
    'src/{accounts,images,lib,limits,reference/style,status}/**',
    'package-lock.json',
  ],
  { cwd: root },
)
const isCurrent = changedAt('console/dist/index.html') > Math.max(...sources.map(changedAt))

if (!isCurrent) {
  const vite = await import('vite').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  })
  await vite?.build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
}
