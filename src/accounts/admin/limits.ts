export const defaultPageSize = 50
export const maxPageSize = 500
/** Users that a list can be asked for by id. */
export const maxIds = 100
/** Users per read when a list is sent whole. */
export const listChunkSize = 500
export const maxReasonLength = 500
