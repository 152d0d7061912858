import { execFile } from 'node:child_process'
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sendTo } from '../drivers/counters/redis-stage.ts'
import { until } from '../support/until.ts'
import type { Services } from './services.ts'

const run = promisify(execFile)
const asOwner =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : []
const runAsOwner = ([...command]: readonly string[]) => {
  const [file = '', ...args] = [...asOwner, ...command]
  return run(file, args, { cwd: '/' })
}

/** What can happen to the services of a cluster. */
export function breaking({ folder, databaseUrl, redisUrl, s3 }: Services) {
  const pidIn = (file: string) => Number(readFileSync(join(folder, file), 'utf8').split('\n')[0])
  const signal = (pids: readonly number[], name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name)
  }
  const postgres = () => {
    const postmaster = pidIn('postgresql/postmaster.pid')
    return [postmaster, ...childrenOf(postmaster)]
  }
  const restartPostgres = async (maxConnections = 200) => {
    const [control = ''] = globSync('/usr/lib/postgresql/*/bin/pg_ctl').sort().reverse()
    const options = [
      `-p ${new URL(databaseUrl).port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`,
      `-c full_page_writes=off -c superuser_reserved_connections=0 -c max_connections=${maxConnections}`,
    ].join(' ')
    const place = ['-D', join(folder, 'postgresql'), '-l', join(folder, 'postgresql.log')]
    await runAsOwner([control, 'restart', '-m', 'immediate', '-w', '-s', '-o', options, ...place])
  }
  const redis = () => [pidIn('redis/pid')]
  const gateway = () => [pidIn('ceph/rgw.pid')]
  const gatewayResponds = () =>
    fetch(s3.endpoint, { signal: AbortSignal.timeout(5_000) }).then(
      (reply) => reply.body?.cancel().then(() => reply.ok),
      () => false,
    )
  /** Resolves to a function that resumes them. */
  const frozen = (pids: () => readonly number[]) => async () => {
    const all = pids()
    signal(all, 'SIGSTOP')
    return () => signal(all, 'SIGCONT')
  }
  return {
    restartPostgres: () => restartPostgres(),
    /** Restarts it with this maximum of connections. */
    limitConnections: (max: number) => restartPostgres(max),
    async pauseRedis(ms: number) {
      await sendTo(redisUrl, 'CLIENT', 'PAUSE', String(ms), 'ALL')
      return () => {}
    },
    async fillRedis() {
      await sendTo(redisUrl, 'CONFIG', 'SET', 'maxmemory', '1')
      return () => sendTo(redisUrl, 'CONFIG', 'SET', 'maxmemory', '0')
    },
    freezePostgres: frozen(postgres),
    freezeRedis: frozen(redis),
    /** The gateway itself must respond again: without that, no instance could recover. */
    async freezeStore() {
      const resume = await frozen(gateway)()
      return async () => {
        resume()
        await until(gatewayResponds, 'the gateway responds after it was frozen')
      }
    },
    async restartRedis() {
      signal(redis(), 'SIGKILL')
      const own = join(folder, 'redis')
      // Root started it and owns these.
      for (const file of ['pid', 'log']) rmSync(join(own, file))
      const place = ['--dir', own, '--daemonize', 'yes', '--pidfile', join(own, 'pid'), '--logfile', join(own, 'log')]
      const { port } = new URL(redisUrl)
      await runAsOwner([
        'redis-server',
        '--port',
        port,
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        ...place,
      ])
    },
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc').flatMap((entry) => {
    try {
      const [, rest = ''] = /^\d+$/.test(entry) ? readFileSync(`/proc/${entry}/stat`, 'latin1').split(') ') : []
      return Number(rest.split(' ')[1]) === parent ? [Number(entry)] : []
    } catch {
      return []
    }
  })
