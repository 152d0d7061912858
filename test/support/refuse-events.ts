import { sql } from 'kysely'
import type { Database } from '../../src/drivers/accounts/database.ts'

/** Nothing can be written to the audit until the result is called. */
export async function refuseEvents({ name, kysely }: Database): Promise<() => Promise<void>> {
  const run = async (text: string) => void (await sql.raw(text).execute(kysely))
  if (name === 'SQLite') {
    await run("CREATE TRIGGER no_event BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no event today'); END")
    return () => run('DROP TRIGGER no_event')
  }
  await run('ALTER TABLE audit ADD CONSTRAINT no_event CHECK (false) NOT VALID')
  return () => run('ALTER TABLE audit DROP CONSTRAINT no_event')
}
