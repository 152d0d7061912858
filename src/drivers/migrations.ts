/** The statements from each version to the next, in a dialect. Never edit one that was released. */
export type Migrations<Dialect> = readonly ((dialect: Dialect) => readonly string[])[]

/** Added to the version of a database while a move fills it, so that every program refuses to open it. */
export const unfinishedMove = 1_000_000

export const newerSchema = (found: number, newest: number) =>
  found > unfinishedMove
    ? 'is the target of an unfinished move; run the same cli move again to finish it, or empty it'
    : `has schema version ${found}, newer than this program's ${newest}; start the newer program`
