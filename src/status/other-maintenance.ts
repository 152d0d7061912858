interface Window {
  readonly id: string
  readonly components: readonly string[]
  /** ISO timestamps. */
  readonly from: string
  readonly until: string
  readonly state: 'planned' | 'active' | 'over'
}

/**
 * The windows that overlap this one, with the components that both have. Each ends by itself: what they share stays in
 * maintenance as long as one of them lasts. The console uses it too.
 */
export const othersOf = <W extends Window>({ id, components, from, until }: Window, all: readonly W[]) =>
  all
    .filter((other) => other.id !== id && other.state !== 'over' && other.from < until && from < other.until)
    .map((other) => ({ other, both: other.components.filter((each) => components.includes(each)) }))
    .filter(({ both }) => both.length > 0)
