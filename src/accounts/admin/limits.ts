export const defaultPageSize = 50
export const maxPageSize = 500
/** Max users requested by id from a list. */
export const maxIds = 100
/** Users per read when a list is sent whole. */
export const listChunkSize = 500
export const maxReasonLength = 500
