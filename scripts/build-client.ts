import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeTypes } from '../client/write-types.ts'
import { compile, root } from './compile.ts'

/* For `npm pack` in client/: builds client/dist/, with the reporter. */

await writeTypes()
rmSync(join(root, 'client/dist'), { recursive: true, force: true })
compile('client/tsconfig.json')
compile('src/reporter/tsconfig.json', '--outDir', 'client/dist')
cpSync(join(root, 'LICENSE'), join(root, 'client/dist/LICENSE'))
