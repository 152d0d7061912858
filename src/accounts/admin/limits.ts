export const defaultPageSize = 50
export const maxPageSize = 500
/** Users per read when a list is sent whole. */
export const listChunkSize = 500
export const maxReasonLength = 500
