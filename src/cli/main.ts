import { useCompileCache } from '../process/compile-cache.ts'

useCompileCache()
const [{ runCli }, { environment, loadEnvironment }, { systemClock }, { createOutput }, { failureOf }] =
  await Promise.all([
    import('./cli.ts'),
    import('../config/config.ts'),
    import('../lib/clock.ts'),
    import('./output.ts'),
    import('./failure.ts'),
  ])

const { stdin, stdout, stderr } = process
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
