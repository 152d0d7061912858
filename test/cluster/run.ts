import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { haproxy } from '../support/balancer-programs.ts'
import { type Cluster, type Member, startCluster } from './cluster.ts'
import { type Services, startServices } from './services.ts'

/* npm run cluster: a cluster to try out, until Ctrl-C. */

const say = (text: string) => process.stdout.write(`${text}\n`)
let isStopping = false
const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal))).then(() => {
  isStopping = true
  say('Stopping …')
})

function keepRunning(member: Member): void {
  member.process?.once('exit', async (code, signal) => {
    if (isStopping) return
    say(`${member.name} has ended with ${signal ?? code}; starting it again`)
    await member.start()
    keepRunning(member)
  })
}

const addresses = ({ url, instances, workers, owner, bucket }: Cluster, services: Services, folder: string) => `
API            ${url}  (haproxy)
               ${instances.map((each) => each.url).join('  ')}
Reference      ${url}/docs
Status worker  ${workers.map((each) => each.url).join('  ')}  (one leads)
PostgreSQL     ${services.databaseUrl}
Redis          ${services.redisUrl}
S3             ${services.s3.endpoint}, bucket ${bucket}
Logs           ${folder}

Sign in        curl ${url}/auth/login --json '${JSON.stringify(owner)}'

What you kill is started again. Ctrl-C stops everything and removes it.`

say('Starting PostgreSQL, Redis, Ceph, two API instances, haproxy, the status worker and its stand-by …')
const folder = mkdtempSync(join(tmpdir(), 'menagerie-cluster-'))
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
try {
  const services = await startServices()
  ends.unshift(services.stop)
  if (!isStopping) {
    const cluster = await startCluster({ ...services, folder, balancer: haproxy })
    ends.unshift(cluster.close)
    say(addresses(cluster, services, folder))
    for (const member of [...cluster.instances, ...cluster.workers]) keepRunning(member)
    await interrupted
  }
} catch (error) {
  // A Ctrl-C reaches what is being started, too.
  if (!isStopping) throw error
} finally {
  for (const end of ends) await end()
}
