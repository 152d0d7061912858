/** Statements to each version from the one before, in a dialect. Forward only: one that was released is never edited. */
export type Migrations<Dialect> = readonly ((dialect: Dialect) => readonly string[])[]

export const newerSchema = (found: number, newest: number) =>
  `has schema version ${found}, newer than this program's ${newest}; start the newer program`
