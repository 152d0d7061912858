export interface Target {
  /** The quickest first. They start no service, so that a thousand mutants take minutes. */
  readonly tests: readonly string[]
  /** The pure declarations of a file that also has others. */
  readonly only?: readonly string[]
}

const of = (folder: string, ...names: readonly string[]): Target => ({
  tests: names.map((name) => `test/${folder}/${name}.test.ts`),
})
const machine = ['component', 'component-events', 'component-doubt', 'wanted', 'combined-status', 'run-rules']

/** The pure rules, and the tests that prove them. */
export const targets: Readonly<Record<string, Target>> = {
  'src/accounts/access.ts': of('accounts', 'access'),
  'src/accounts/admin/permissions.ts': of('accounts/admin', 'permissions'),
  'src/accounts/embed-tokens.ts': of('accounts', 'embed-tokens'),
  'src/accounts/guard.ts': { ...of('accounts', 'access'), only: ['Actor', 'keyRefusalOf', 'mayEnter'] },
  'src/accounts/key-secret.ts': of('accounts', 'key-secret'),
  'src/accounts/keys.ts': of('accounts', 'key-names', 'access'),
  'src/accounts/roles.ts': of('accounts/admin', 'permissions'),
  'src/accounts/secrets-in-paths.ts': of('accounts', 'secrets-in-paths'),
  'src/accounts/session-cookie.ts': of('accounts', 'session-cookie'),
  'src/accounts/tokens.ts': of('accounts', 'tokens'),
  'src/accounts/username.ts': of('accounts', 'username'),
  'src/http/conditional-requests.ts': of('http', 'conditional-requests'),
  'src/images/bucket-name.ts': of('images', 'names'),
  'src/images/choose.ts': of('images', 'choose'),
  'src/images/filter.ts': of('images', 'filter'),
  'src/images/kinds.ts': of('images', 'names'),
  'src/images/names.ts': of('images', 'names'),
  'src/images/object-name.ts': of('images', 'names'),
  'src/images/period.ts': of('images', 'period'),
  'src/images/selection.ts': of('images', 'selection'),
  'src/images/served-name.ts': of('images', 'names'),
  'src/images/tags.ts': of('images', 'filter'),
  'src/images/walk.ts': of('images', 'walk-cursor', 'walk'),
  'src/lib/cron.ts': of('lib', 'cron'),
  'src/lib/hash.ts': { tests: ['test/lib/hash.test.ts', 'test/images/walk.test.ts'] },
  'src/lib/http-date.ts': of('lib', 'http-date'),
  'src/lib/sliding-window.ts': of('lib', 'sliding-window'),
  'src/lib/time-zone.ts': of('lib', 'time-zone'),
  'src/limits/decide.ts': of('limits', 'decide'),
  'src/limits/limit-report.ts': of('limits', 'limit-report'),
  'src/limits/plans.ts': of('limits', 'plans'),
  'src/limits/scopes.ts': of('limits', 'scopes', 'plans'),
  'src/status/acknowledgement.ts': of('status', 'acknowledgement', 'component-events'),
  'src/status/component.ts': of('status', ...machine),
  'src/status/flaps.ts': of('status', 'component', 'component-events'),
  'src/status/heard.ts': of('status', ...machine),
  'src/status/instances.ts': of('status', 'combined-status'),
  'src/status/periods.ts': of('status', 'periods'),
  'src/status/publication.ts': of(
    'status',
    'publication',
    'component',
    'component-doubt',
    'component-events',
    'wanted',
  ),
  'src/status/push-queue.ts': of('status', 'push-turns', 'push-queue'),
  'src/status/report.ts': of('status', 'report', 'component', 'combined-status', 'component-events'),
  'src/status/runs.ts': of('status', 'run-rules', 'component-events'),
  'src/status/schedule.ts': of('status', 'schedule-rules', 'report', 'timeouts', 'schedules'),
  'src/status/statuses.ts': of('status', 'schedule-rules'),
  'src/status/wanted.ts': of('status', 'wanted', 'component-events', 'component'),
}
