/* How long an occurrence of recurring maintenance may last: for the schema, the refusal and the command line. */

export const minOccurrenceSeconds = 60
export const maxOccurrenceDays = 7
export const maxOccurrenceSeconds = maxOccurrenceDays * 86_400
