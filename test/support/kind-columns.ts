import { FilterLists } from '../../src/drivers/catalogue/filter-list.ts'
import { type ColumnsOptions, KindColumns } from '../../src/drivers/catalogue/kind-columns.ts'

/** The columns of rows that are in memory only. */
export const columnsOf = (options: Pick<ColumnsOptions, 'read'> & Partial<ColumnsOptions>): KindColumns =>
  new KindColumns({
    tagsOf: () => [],
    draw: () => [],
    takeTurn: async () => {},
    lists: new FilterLists(),
    ...options,
  })
