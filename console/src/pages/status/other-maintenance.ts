import type { Schemas } from '../../../../client/src/client.ts'

type Window = Pick<Schemas['Maintenance'], 'id' | 'components' | 'from' | 'until' | 'state'>

/** Each ends by itself: what they share stays in maintenance as long as one of them lasts. */
export const othersOf = <W extends Window>({ id, components, from, until }: Window, all: readonly W[]) =>
  all
    .filter((other) => other.id !== id && other.state !== 'over' && other.from < until && from < other.until)
    .map((other) => ({ other, both: other.components.filter((each) => components.includes(each)) }))
    .filter(({ both }) => both.length > 0)
