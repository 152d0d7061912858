import { globSync } from 'node:fs'
import './prelude.cjs'

/*
 * Loads the programs to fill the compile cache, so that the first start is as small and fast as later ones: all of
 * src/ but the entries of threads, whose types are then stripped only once, and the program that resizes images, which
 * loads sharp; or with the argument `dist` the two compiled servers.
 */

const paths =
  process.argv[2] === 'dist'
    ? ['dist/api/main.js', 'dist/api/api.js', 'dist/worker/main.js', 'dist/worker/worker.js']
    : globSync('src/!(bin)/**/*.ts', {
        exclude: ['src/reference/script/**', 'src/**/*-thread-entry.ts', 'src/drivers/sizes/child/**'],
      })
for (const path of paths) await import(`../${path}`)
