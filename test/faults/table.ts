import { clockRows } from './table/clock-and-counts.ts'
import { databaseRows } from './table/database.ts'
import { diskRows } from './table/disk.ts'
import { honestyRows } from './table/honesty.ts'
import { processRows } from './table/process.ts'
import type { Row } from './table/row.ts'
import { storeRows } from './table/store.ts'

/** F01, F02, …, F27, F27b, …, and then what is not numbered there. */
export const rows: readonly Row[] = [
  ...[...diskRows, ...databaseRows, ...storeRows, ...processRows, ...clockRows].toSorted(
    ({ id: one }, { id: other }) => (one < other ? -1 : 1),
  ),
  ...honestyRows,
]

/** Every test file of these rows, once. */
export const filesOf = (some: readonly Row[]): string[] => [
  ...new Set(some.flatMap(({ proofs }) => Object.keys(proofs))),
]
