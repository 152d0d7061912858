import { administer, queryServer } from '../support/stores.ts'

/** Counts the statements that change the schema, committed or not, and slows them so that a kill can interrupt them. */
export async function slowMigration(databaseUrl: string, seconds: number) {
  await administer(
    `CREATE SEQUENCE test_steps MINVALUE 0 START 0;
    CREATE FUNCTION test_step() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM nextval('test_steps'); PERFORM pg_sleep(${seconds}); END $$;
    CREATE EVENT TRIGGER test_steps ON ddl_command_end EXECUTE FUNCTION test_step()`,
    databaseUrl,
  )
  return {
    steps: async () => Number((await queryServer('SELECT last_value FROM test_steps', databaseUrl))[0]?.last_value),
    end: () => administer('DROP EVENT TRIGGER test_steps', databaseUrl),
  }
}
