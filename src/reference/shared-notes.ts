/** A shorter or rarer note costs less at each place than a mark and a line elsewhere. */
const minNoteLength = 16
const minUses = 3

/** Follows a field whose note stands among the shared ones. */
const sharedMark = ' *'

/** Notes of fields that occur at many places, each printed once: of the same field, only the most frequent note. */
export function createSharedNotes() {
  const counts = new Map<string, Map<string, number>>()
  const chosen = new Map<string, string>()

  /** What follows the field; counts until the notes are shared. */
  function print(field: string, note: string): string {
    const ofField = counts.get(field) ?? new Map<string, number>()
    ofField.set(note, (ofField.get(note) ?? 0) + 1)
    counts.set(field, ofField)
    if (note === '') return ''
    return chosen.get(field) === note ? sharedMark : ` // ${note}`
  }

  function share(): void {
    for (const [field, notes] of counts) {
      const [[note, uses] = ['', 0]] = [...notes].toSorted(([, a], [, b]) => b - a).filter(([note]) => note !== '')
      if (uses >= minUses && note.length >= minNoteLength) chosen.set(field, note)
    }
  }

  const shared = () =>
    [...chosen].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([field, note]) => `${field} // ${note}`)

  return { print, share, shared }
}
