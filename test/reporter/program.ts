import { once } from 'node:events'
import { spawn } from '../support/spawn.ts'

const reporter = new URL('../../src/reporter/reporter.ts', import.meta.url).href

/** Runs a program with a reporter; resolves with its exit code and output. */
export async function program(url: string, lines: string, env: Record<string, string> = {}) {
  const code = `import { createReporter } from ${JSON.stringify(reporter)}
    const reporter = createReporter({ url: ${JSON.stringify(url)} })
    ${lines}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { env })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  const [exitCode] = await once(child, 'close')
  return [exitCode, out]
}
