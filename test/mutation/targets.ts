export interface Target {
  /** The quickest first. They start no service, so that a thousand mutants take minutes. */
  readonly tests: readonly string[]
  /** The pure declarations of a file that also has others. */
  readonly only?: readonly string[]
}

const component = [
  'test/status/component.test.ts',
  'test/status/component-doubt.test.ts',
  'test/status/component-pages.test.ts',
  'test/status/telling.test.ts',
  'test/status/unsaved.test.ts',
  'test/status/timeouts.test.ts',
  'test/status/component-walk.test.ts',
]

/** The pure rules, and the tests that prove them. */
export const targets: Readonly<Record<string, Target>> = {
  'src/accounts/admin/permissions.ts': { tests: ['test/accounts/admin/permissions.test.ts'] },
  'src/accounts/embed-tokens.ts': { tests: ['test/accounts/embed-tokens.test.ts'] },
  'src/accounts/roles.ts': { tests: ['test/accounts/admin/permissions.test.ts'] },
  'src/accounts/secrets-in-paths.ts': { tests: ['test/accounts/secrets-in-paths.test.ts'] },
  'src/accounts/tokens.ts': { tests: ['test/accounts/tokens.test.ts'] },
  'src/http/conditional-requests.ts': { tests: ['test/http/conditional-requests.test.ts'] },
  'src/images/bucket-name.ts': { tests: ['test/images/names.test.ts'] },
  'src/images/choose.ts': { tests: ['test/images/choose.test.ts'] },
  'src/images/kinds.ts': { tests: ['test/images/names.test.ts'] },
  'src/images/names.ts': { tests: ['test/images/names.test.ts'] },
  'src/images/object-name.ts': { tests: ['test/images/names.test.ts'] },
  'src/images/period.ts': { tests: ['test/images/period.test.ts'] },
  'src/images/selection.ts': { tests: ['test/images/selection.test.ts'] },
  'src/images/served-name.ts': { tests: ['test/images/names.test.ts'] },
  'src/images/walk.ts': { tests: ['test/images/walk.test.ts'] },
  'src/lib/cron.ts': { tests: ['test/lib/cron.test.ts'] },
  'src/lib/hash.ts': { tests: ['test/lib/hash.test.ts', 'test/images/walk.test.ts'] },
  'src/lib/http-date.ts': { tests: ['test/lib/http-date.test.ts'] },
  'src/lib/ids.ts': { tests: ['test/lib/ids.test.ts'] },
  'src/lib/sliding-window.ts': { tests: ['test/status/push-queue.test.ts'] },
  'src/lib/time-zone.ts': { tests: ['test/lib/cron.test.ts'] },
  'src/limits/decide.ts': { tests: ['test/limits/decide.test.ts'] },
  'src/limits/limit-report.ts': { tests: ['test/limits/limit-report.test.ts'] },
  'src/limits/login-failures.ts': { tests: ['test/limits/login-failures.test.ts'] },
  'src/limits/scopes.ts': { tests: ['test/limits/decide.test.ts', 'test/limits/limit-report.test.ts'] },
  'src/status/acknowledgement.ts': { tests: component },
  'src/status/component.ts': { tests: component },
  'src/status/flaps.ts': { tests: component },
  'src/status/heard.ts': { tests: component },
  'src/status/instances.ts': { tests: component },
  'src/status/periods.ts': { tests: ['test/status/periods.test.ts'] },
  'src/status/publication.ts': { tests: component },
  'src/status/push-queue.ts': { tests: ['test/status/push-queue.test.ts'] },
  'src/status/report.ts': { tests: component },
  'src/status/runs.ts': { tests: component },
  'src/status/schedule.ts': { tests: ['test/status/timeouts.test.ts', 'test/status/schedules.test.ts', ...component] },
  'src/status/statuses.ts': { tests: component },
  'src/status/wanted.ts': { tests: component },
}
