/** What one client saw of one request. */
export interface Operation<State> {
  readonly text: string
  readonly start: number
  /** When its response came; without a response, when it can no longer take effect. */
  readonly end: number
  /** False: it had no response, so it may have happened or not. */
  readonly isAnswered: boolean
  /** The state after it; null if it cannot have had its response in this state. */
  apply(state: State): State | null
}

/**
 * Whether these operations can be put in one order that explains every response, where each comes after all that had ended
 * before it started (linearizability, after Wing and Gong). Null if so; otherwise the operations that no order gets past.
 */
export function unexplained<State>(initial: State, operations: readonly Operation<State>[]): string[] | null {
  const all = [...operations].sort((a, b) => a.start - b.start)
  const seen = new Set<string>()
  let furthest = { done: -1, next: [] as string[] }

  /** `done`: one character for each operation. */
  const search = (done: string, count: number, state: State): boolean => {
    if (count === all.length) return true
    const position = `${done}${JSON.stringify(state)}`
    if (seen.has(position)) return false
    seen.add(position)
    const next = frontierOf(all, done)
    if (count > furthest.done) furthest = { done: count, next: next.map((at) => (all[at] as Operation<State>).text) }
    for (const at of next) {
      const operation = all[at] as Operation<State>
      const after = `${done.slice(0, at)}1${done.slice(at + 1)}`
      const changed = operation.apply(state)
      if (changed !== null && search(after, count + 1, changed)) return true
      if (!operation.isAnswered && search(after, count + 1, state)) return true
    }
    return false
  }

  return search('0'.repeat(all.length), 0, initial) ? null : furthest.next
}

/** Those that may come next: none of the others had ended before they started. */
function frontierOf(
  all: readonly Operation<never>[] | readonly { start: number; end: number }[],
  done: string,
): number[] {
  const left: number[] = []
  let firstEnd = Number.POSITIVE_INFINITY
  for (let at = done.indexOf('0'); at >= 0; at = done.indexOf('0', at + 1)) {
    const { start, end } = all[at] as Pick<Operation<unknown>, 'start' | 'end'>
    if (start > firstEnd) break
    firstEnd = Math.min(firstEnd, end)
    left.push(at)
  }
  return left.filter((at) => (all[at]?.start ?? 0) <= firstEnd)
}
