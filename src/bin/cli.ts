import { useCompileCache } from '../process/compile-cache.ts'

useCompileCache()
const [{ runCli }, { environment }, { systemClock }] = await Promise.all([
  import('../cli/cli.ts'),
  import('../config/config.ts'),
  import('../lib/clock.ts'),
])

const { stdin, stdout, stderr } = process
// A reader that stops early (`user list | head`) is not a failure.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? undefined : 1))
process.exitCode = await runCli(process.argv.slice(2), {
  env: environment(),
  clock: systemClock,
  stdin,
  stdout,
  stderr,
})
