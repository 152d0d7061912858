import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Creates a fresh database on that server, and drops it afterwards. */
export async function withDatabase<T>(
  server: string | undefined,
  use: (url: string | undefined) => Promise<T>,
): Promise<T> {
  if (!server) return use(undefined)
  const name = `menagerie_bench_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
    return await use(Object.assign(new URL(server), { pathname: `/${name}` }).href)
  } finally {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.end()
  }
}
