import { once } from 'node:events'
import { join } from 'node:path'
import { spawn } from '../support/spawn.ts'

const root = join(import.meta.dirname, '../..')

/** What another program does with the reporter, which it has by its name: its exit code and all it wrote. */
export async function program(url: string, lines: string, env: Record<string, string> = {}) {
  const code = `import { createReporter } from 'menagerie/reporter'
    const reporter = createReporter({ url: ${JSON.stringify(url)} })
    ${lines}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: root, env })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  const [exitCode] = await once(child, 'close')
  return [exitCode, out]
}
