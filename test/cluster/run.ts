import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { haproxy } from '../support/balancer-programs.ts'
import { startCluster } from './cluster.ts'
import { startServices } from './services.ts'

/* npm run cluster: a cluster to try out, until Ctrl-C. */

const say = (text: string) => process.stdout.write(`${text}\n`)
const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)))

say('Starting PostgreSQL, Redis, Ceph, two API instances, haproxy, the status worker and its stand-by …')
const folder = mkdtempSync(join(tmpdir(), 'menagerie-cluster-'))
const services = await startServices()
try {
  const cluster = await startCluster({ ...services, folder, balancer: haproxy })
  const { url, instances, workers, owner } = cluster
  try {
    say(`
API            ${url}  (haproxy)
               ${instances.map((each) => each.url).join('  ')}
Reference      ${url}/docs
Status worker  ${workers.map((each) => each.url).join('  ')}  (one leads)
PostgreSQL     ${services.databaseUrl}
Redis          ${services.redisUrl}
S3             ${services.s3.endpoint}, bucket ${cluster.bucket}
Logs           ${folder}

Sign in        curl ${url}/auth/login --json '${JSON.stringify(owner)}'

Ctrl-C stops everything and removes it.`)
    await interrupted
    say('Stopping …')
  } finally {
    await cluster.close()
  }
} finally {
  await services.stop()
  rmSync(folder, { recursive: true, force: true })
}
