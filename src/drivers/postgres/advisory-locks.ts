/** The keys of our advisory locks. Arbitrary, but different: the API and the status worker may share one database. */
export const advisoryLocks = {
  /** Held by every process while it migrates. */
  migration: 6_177_104,
  /** Held by the status worker that leads, as long as it does. */
  state: 6_177_105,
  /** Held by a move of the accounts. */
  move: 6_177_106,
  /** Held by every transaction that inserts an owner. */
  owner: 6_177_107,
  /** Held by the process that creates the indexes of the search. */
  search: 6_177_108,
} as const
