import { type Config, textsOf } from '../config/config.ts'
import { readPackage } from '../config/package.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import { workerErrors } from '../status/errors.ts'
import { statusRoutes } from '../status/routes.ts'
import { describeService, type Group } from './model.ts'
import { printOpenapi } from './openapi.ts'

export const workerGroup = (base: string): Group => ({
  title: 'The status worker',
  description:
    'A separate process. No token required; open only to the networks in `STATUS_ALLOW`, and for changes other than heartbeats to those in `STATUS_ADMIN_ALLOW`, by the address of the connection.',
  service: { title: 'The status worker', base, envelope: 'ok', errors: workerErrors },
  routes: statusRoutes,
})

/** The worker's OpenAPI 3.1 document, without anything of the API. */
export function printWorkerOpenapi(config: Config, base = workerUrlOf(config)): string {
  const about = {
    ...readPackage(),
    title: 'Menagerie status worker',
    summary: 'Receives heartbeats, opens incidents when they stop, and publishes to status pages.',
  }
  const described = describeService(workerGroup(base), textsOf(config))
  return printOpenapi({ ...about, ...described, token: null }, 'The full reference is at `/docs` of the API.')
}
