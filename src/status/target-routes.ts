import { defineRoute, type Route } from '../http/route.ts'
import { isoTime } from '../lib/timestamps.ts'
import { details } from './audit.ts'
import { changes } from './changes.ts'
import { changing, leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './target-schemas.ts'
import type { TargetTest } from './targets.ts'

const shown = (test: TargetTest) => ({ ...test, at: isoTime(test.at) })

export const targetRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/targets',
    operationId: 'listTargets',
    summary: 'List the targets, with their last pushes and test',
    reply: { status: 200, schema: schemas.targets },
    errors: leaderErrors,
    handle(_call, { leader, targets }: StatusDeps) {
      const { worker } = leader()
      return {
        ok: true,
        targets: targets.all.map(({ name: target, page: { kind, address, isAlert, repeatEveryMs } }) => {
          const lastTest = targets.lastTest(target)
          return {
            target,
            kind,
            host: new URL(address).host,
            isAlert,
            reminderSeconds: isAlert && repeatEveryMs !== null ? Math.round(repeatEveryMs / 1000) : null,
            lastPushes: worker.deliveries(target).map((push) => ({ ...push, at: isoTime(push.at) })),
            lastTest: lastTest && shown(lastTest),
          }
        }),
      }
    },
  }),
  defineRoute({
    ...changing(changes.testTarget),
    path: '/targets/:target/test',
    params: schemas.targetParams,
    operationId: 'testTarget',
    summary: 'Test a target',
    description:
      'Sends a test message to an alert channel or webhook, and a harmless request to any other status page, at most once in 10 s per target. If there is no outcome within a second, it is `sending`, and `GET /targets` shows the final one.',
    async handle(call, { leader, targets }: StatusDeps) {
      const { auditQueue } = leader()
      const target = call.params.target as string
      const test = await targets.test(target, call.address)
      auditQueue.made(call, { action: 'test-target', target, after: details.test(test) })
      return { ok: true, target, test: shown(test) }
    },
  }),
]
