/** Of the pages that administrators ask for. */
export const usualOfPage = 50
export const mostOfPage = 500
/** Users that a whole list reads at a time. */
export const chunkOfList = 500
/** Characters of the reason of a ban. */
export const mostReason = 500
