import asyncHooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

/*
 * node:test follows every promise and handle with async hooks, to know which test an error or subtest belongs to. That
 * takes a seventh of a shard's CPU time. AsyncLocalStorage gives it the same for next to nothing, if this module is
 * imported before it. A Node whose node:test needs something else falls back to its own hooks.
 */

type Init = (id: number, type: string, triggerId: number, resource: object) => void

const { createHook, executionAsyncId } = asyncHooks
const scope = new AsyncLocalStorage<number>()
let init: Init | undefined

/** A test is a scope. */
class Scope extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options)
    init?.(this.asyncId(), type, 0, this)
  }

  override runInAsyncScope<This, Result>(
    run: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => scope.run(this.asyncId(), () => Reflect.apply(run, thisArg, args)))
  }
}

Object.assign(asyncHooks, {
  AsyncResource: Scope,
  executionAsyncId: () => scope.getStore() ?? 0,
  createHook: (hook: { readonly init: Init }) => ({
    enable() {
      init = hook.init
    },
    disable() {
      init = undefined
    },
  }),
})
await import('node:test')
Object.assign(asyncHooks, { AsyncResource, executionAsyncId, createHook })
