import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

/*
 * Two exhaustive searches for an order of events that breaks a promise. `exploreStates` follows a pure rule through every
 * state that it can reach. `exploreSchedules` runs real asynchronous code again and again, each time with another order
 * of its steps, until there is no other. Both throw Violated with the shortest (or first) way there.
 */

export class Violated extends Error {
  constructor(promise: string, way: readonly string[]) {
    super(`${promise}\n${way.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}`)
  }
}

export interface Rule<State> {
  readonly initial: State
  /** What may happen next, by name. */
  next(state: State): Iterable<readonly [string, State]>
  /** The promise that this state breaks; null if none. */
  broken(state: State): string | null
}

/** The way to a state, from its end. */
interface Way {
  readonly step: string
  readonly from: Way | null
}

/** So many states take some 20 ms. Then the process may do something else, such as report that it is alive. */
const statesPerTurn = 500

/** Breadth first, so that the way that it finds is one of the shortest. Returns the number of distinct states. */
export async function exploreStates<State>({ initial, next, broken }: Rule<State>): Promise<number> {
  const seen = new Set([keyOf(initial)])
  let explored = 0
  let front: { readonly state: State; readonly way: Way }[] = [{ state: initial, way: { step: 'start', from: null } }]
  while (front.length > 0) {
    const reached: typeof front = []
    for (const { state, way } of front) {
      if (++explored % statesPerTurn === 0) await turn()
      const promise = broken(state)
      if (promise !== null) throw new Violated(promise, stepsOf(way))
      for (const [step, after] of next(state)) {
        const key = keyOf(after)
        if (seen.has(key)) continue
        seen.add(key)
        reached.push({ state: after, way: { step, from: way } })
      }
    }
    front = reached
  }
  return seen.size
}

/** A state itself takes a hundred times the memory. */
const keyOf = (state: unknown) => hash('sha1', JSON.stringify(state), 'base64')

function stepsOf(way: Way): string[] {
  const steps: string[] = []
  for (let at: Way | null = way; at !== null; at = at.from) steps.unshift(at.step)
  return steps
}

/** Runs tasks side by side, one atomic step of one of them at a time. */
export interface Scheduler {
  /** Code that runs up to its next step without interruption. */
  task(name: string, run: (step: Step) => Promise<unknown>): void
}

/** Waits for its turn, however long that takes, and for `isFree`. The results of its steps are all that a task knows. */
export type Step = <T>(what: string, act: () => T, isFree?: () => boolean) => Promise<T>

export interface World {
  /** All that the tasks share. */
  state(): unknown
  /** Throws if a promise is broken; called after each step. */
  check(): void
  /** The same once no task has a step left. */
  end?(): void
  /** Ends what the run has opened. */
  close?(): void
}

interface Waiting {
  readonly name: string
  readonly what: string
  readonly isFree: () => boolean
  readonly perform: () => void
}

/** Depth first, without what follows a state that was reached before in another order. Returns how many states there are. */
export async function exploreSchedules(start: (scheduler: Scheduler) => World): Promise<number> {
  const seen = new Set<string>()
  /** The choice at each step of this run, and of how many. */
  const choices: { at: number; readonly of: number }[] = []
  do {
    await runOnce(start, choices, seen)
    while (choices.length > 0 && isLast(choices.at(-1))) choices.pop()
    const last = choices.at(-1)
    if (last) last.at += 1
  } while (choices.length > 0)
  return seen.size
}

const isLast = (choice: { readonly at: number; readonly of: number } | undefined) =>
  choice !== undefined && choice.at + 1 === choice.of

async function runOnce(
  start: (scheduler: Scheduler) => World,
  choices: { at: number; readonly of: number }[],
  seen: Set<string>,
): Promise<void> {
  const waiting: Waiting[] = []
  const known = new Map<string, unknown[]>()
  const way: string[] = []
  const failures: unknown[] = []
  const world = start({
    task(name, run) {
      const results: unknown[] = []
      known.set(name, results)
      const step: Step = (what, act, isFree = () => true) =>
        new Promise((resolve, reject) => {
          const perform = () => {
            try {
              const result = act()
              results.push(result ?? null)
              resolve(result)
            } catch (error) {
              results.push(String(error))
              reject(error)
            }
          }
          waiting.push({ name, what, isFree, perform })
        })
      run(step).catch((error) => failures.push(error))
    },
  })
  const checked = (check: () => void) => {
    try {
      check()
      if (failures.length > 0) throw failures[0]
    } catch (error) {
      throw new Violated((error as Error).message, way)
    }
  }
  try {
    for (let depth = 0; ; depth += 1) {
      // Runs each task up to its next step.
      await turn()
      checked(world.check)
      const free = waiting.filter(({ isFree }) => isFree()).sort((one, other) => (one.name < other.name ? -1 : 1))
      if (free.length === 0) break
      if (depth === choices.length) {
        const places = waiting.map(({ name, what }) => `${name} ${what}`).sort()
        const key = keyOf([world.state(), places, [...known]])
        if (seen.has(key)) return
        seen.add(key)
        choices.push({ at: 0, of: free.length })
      }
      const chosen = free[choices[depth]?.at as number] as Waiting
      waiting.splice(waiting.indexOf(chosen), 1)
      way.push(`${chosen.name}: ${chosen.what}`)
      chosen.perform()
    }
    checked(() => {
      if (waiting.length > 0) throw new Error(`nothing goes on: ${waiting.map(({ name, what }) => `${name}: ${what}`)}`)
      world.end?.()
    })
  } finally {
    world.close?.()
  }
}
