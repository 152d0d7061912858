import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../scripts/services.sh')

export interface Services {
  readonly folder: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly s3: { readonly endpoint: string; readonly keyId: string; readonly secret: string }
  stop(): Promise<void>
}

const all = 'postgresql redis ceph'
/** What scripts/services.sh starts them with. */
const programs: Readonly<Record<string, string>> = {
  postgresql: '/usr/lib/postgresql/*/bin/initdb',
  redis: '/usr/bin/redis-server',
  ceph: '/usr/bin/radosgw',
}

/** False, or which of them is not installed here. Never skipped in CI. */
export function missingServices(names = all): string | false {
  const absent = names.split(' ').filter((name) => globSync(programs[name] ?? '').length === 0)
  return absent.length > 0 && !process.env.CI && `needs ${absent.join(' and ')}`
}

/** The test's own services, which it may break. */
export async function startServices(names = all): Promise<Services> {
  // The user that PostgreSQL runs as has no access to the tests' own temporary folder.
  const env = { ...process.env, SERVICES: names, SERVICES_DIR: '', TMPDIR: '/tmp' }
  const { stdout } = await run(script, ['start'], { env })
  const started = new Map(stdout.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  const given = (name: string) => started.get(name) ?? ''
  // Otherwise services.sh lets a restart lose the newest commits, since no other test would notice.
  const client = new pg.Client({ connectionString: given('TEST_DATABASE_URL') })
  await client.connect()
  await client.query('ALTER DATABASE postgres SET synchronous_commit = on')
  await client.end()
  return {
    folder: given('SERVICES_DIR'),
    databaseUrl: given('TEST_DATABASE_URL'),
    redisUrl: given('TEST_REDIS_URL'),
    s3: {
      endpoint: given('TEST_S3_ENDPOINT'),
      keyId: given('TEST_S3_ACCESS_KEY_ID'),
      secret: given('TEST_S3_SECRET_ACCESS_KEY'),
    },
    async stop() {
      await run(script, ['stop'], { env: { ...env, SERVICES_DIR: given('SERVICES_DIR') } })
    },
  }
}
