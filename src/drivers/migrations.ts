/** The statements from each version to the next, in a dialect. Never edit one that was released. */
export type Migrations<Dialect> = readonly ((dialect: Dialect) => readonly string[])[]

export const newerSchema = (found: number, newest: number) =>
  `has schema version ${found}, newer than this program's ${newest}; start the newer program`
