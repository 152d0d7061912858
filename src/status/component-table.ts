import { refuse } from '../http/refusal.ts'
import type { ChangeRecord } from './audit.ts'
import { type Component, type Event, type Moment, next, type Push, type Rules, type Step } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { errors } from './errors.ts'
import type { RegistryDeps } from './registry.ts'
import { partsOf } from './saver.ts'
import type { Uptime } from './uptime.ts'

export type ComponentTable = ReturnType<typeof createComponentTable>

/** The state and rules of each component, and when it last sent a heartbeat. */
export function createComponentTable(deps: RegistryDeps, log: ComponentLog, uptime: Pick<Uptime, 'observe'>) {
  const { saver, clock } = deps
  /** As saved, except for heartbeats that changed nothing: those are saved soon. */
  const components = new Map<string, Component>()
  /** Includes components whose first heartbeat is being saved. */
  const rules = new Map<string, Rules>()
  /** On the monotonic clock. */
  const heardAt = new Map<string, number>()

  const now = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })
  const rulesOf = (id: string): Rules => {
    const own = rules.get(id) ?? { ...deps.rules, timeouts: deps.timeoutsOf(id), targets: deps.targetsOf(id) }
    rules.set(id, own)
    return own
  }
  const stepOf = (component: Component, event: Event) => next(component, event, now(), rulesOf(component.id))
  const apply = (component: Component, event: Event): Component => {
    const { component: after } = stepOf(component, event)
    components.set(component.id, after)
    return after
  }
  const commit = async (
    { component, effects }: Step,
    audited: readonly ChangeRecord[] = [],
  ): Promise<readonly Push[]> => {
    await saver.save(component, { ...partsOf(component.id, effects), audited })
    components.set(component.id, component)
    uptime.observe(component)
    log.changed(component.id, effects)
    return effects.filter((effect) => effect.kind === 'push')
  }

  for (const component of deps.known) {
    const { id, lastHeartbeatAt } = component
    heardAt.set(id, clock.monotonic() - Math.max(0, clock.now() - lastHeartbeatAt))
    apply(component, { kind: 'start' })
    uptime.observe(component)
  }

  return {
    now,
    rulesOf,
    stepOf,
    /** Takes effect at once: the event has no consequence that must be saved first. */
    apply,
    /** Saves a step, then lets it take effect. Resolves to the pushes that are due. */
    commit,
    /** The same for a change by an administrator, which is refused if it cannot be saved. */
    commitAudited: (step: Step, record: ChangeRecord): Promise<readonly Push[]> =>
      commit(step, [record]).catch(() => refuse(errors.notSaved)),
    /** Includes components whose first heartbeat is being saved. */
    get size(): number {
      return rules.size
    },
    find: (id: string): Component | undefined => components.get(id),
    all: (): Iterable<Component> => components.values(),
    set: (component: Component): void => void components.set(component.id, component),
    heard: (id: string, monotonic: number): void => void heardAt.set(id, monotonic),
    /** By whichever clock advanced more: the monotonic one stops with the machine, the wall clock may be set back. */
    silentMs: ({ id, lastHeartbeatAt }: Component): number =>
      Math.max(clock.now() - lastHeartbeatAt, clock.monotonic() - (heardAt.get(id) ?? clock.monotonic())),
    remove(id: string): void {
      for (const each of [components, rules, heardAt]) each.delete(id)
    },
  }
}
