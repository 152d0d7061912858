import { environment, loadEnvironment } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { runCli } from './cli.ts'
import { failureOf } from './failure.ts'
import { createOutput } from './output.ts'

const { stdin, stdout, stderr } = process

export async function main(): Promise<void> {
  const args = process.argv.slice(2)
  // A reader that stops early (`user list | head`) is not a failure.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? undefined : 1))

  const output = createOutput(stdout, stderr, args.includes('--json'))
  try {
    const envFile = loadEnvironment()
    if (envFile !== null && stderr.isTTY) output.note(`Settings from ${envFile}`)
    process.exitCode = await runCli(args, { env: environment(), clock: systemClock, stdin, stdout, stderr })
  } catch (error) {
    const { exitCode, message } = failureOf(error)
    output.fail(message)
    process.exitCode = exitCode
  }
}
