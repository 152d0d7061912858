/** Every text of the status page. Names in braces are replaced. Days are whole, and more than one. */
export const english = {
  language: 'en',
  decimalPoint: '.',
  title: 'Status',
  about: 'Status, incidents and uptime of this service.',
  feedTitle: 'Incidents and announcements',
  skip: 'Skip to the content',
  reference: 'Reference',
  calendar: 'Calendar',
  back: 'Back to the status',

  states: {
    operational: 'Operational',
    degraded: 'Degraded',
    partial: 'Partial outage',
    outage: 'Outage',
    maintenance: 'Maintenance',
    unknown: 'Unknown',
  },
  headlines: {
    operational: 'All systems operational',
    degraded: 'Degraded performance',
    partial: 'Partial outage',
    outage: 'Major outage',
    maintenance: 'Under maintenance',
    maintenanceInPart: 'Partly under maintenance',
    unknown: 'The state is unknown',
    unknownInPart: 'Some states are unknown',
    none: 'No component is public',
    workerAway: 'Status unknown since {time}',
  },
  affected: 'Components affected: {count} of {all}.',
  allAffected: 'The service as a whole is affected.',
  asOf: 'As of {time}.',
  workerAway: 'The status worker cannot be reached, so nothing is known of any component. Last tried: {time}.',
  noComponents: 'No component is published here yet.',

  openIncidents: 'Open incidents',
  announcements: 'Announcements',
  maintenance: 'Maintenance',
  components: 'Components',
  pastIncidents: 'Past incidents',
  noIncidents: 'None in the last 90 days.',
  history: 'History',
  historyOf: 'Incidents in {month}',

  stages: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
    postmortem: 'Postmortem',
  },
  updates: 'Updates',
  unknownIncident: 'This incident is not public, or it ended more than 90 days ago.',
  noUpdates: 'Nothing has been written about this incident.',
  affects: 'Affects: {components}',
  sinceFor: 'Since {time}, for {duration}',
  lasted: '{state} for {duration}',
  fromUntil: '{from} until {until}',
  maintenanceOf: 'Maintenance of {names}',
  inProgress: 'in progress',
  planned: 'planned',
  andMoreTimes: '(and {count} more)',
  andMore: '{names} and {count} more',

  forDuration: 'for {duration}',
  since: 'since {time}',
  responses: 'Response time: {times}',
  // It breaks only between them.
  ofDays: '7\u00a0days:\u00a0{days7} · 30\u00a0days:\u00a0{days30} · 90\u00a0days:\u00a0{days90}',
  noData: 'no data',
  daysAgo: '{days} days ago',
  today: 'today',
  legend: 'What the bars mean',
  levels: {
    up: 'No downtime',
    some: 'Up at least 95 %',
    down: 'Up less than 95 %',
    none: 'No data',
  },
  barsOf: 'Uptime of {label} in {days} days: {uptime}.',
  badDays: 'Below 100 %: {days}.',
  badDaysAndMore: 'Below 100 %: {days}, and {count} more.',
  days: '{first} to {last}',
  timesInUtc: 'Times and days are in UTC.',
  timesInZone: 'Times are in your time zone, {zone}; days are in UTC.',
  aboutUptime:
    'Uptime is the share of the time without an outage or a partial outage. Degraded counts as up; maintenance and time in which the state was unknown do not count. Incidents that people write do not change it.',

  durations: {
    days: '{days} days',
    hours: '{hours} h {minutes} min',
    minutes: '{minutes} min',
    none: 'less than a minute',
  },
} as const satisfies Table

interface Table {
  readonly [name: string]: string | Readonly<Record<string, string>>
}

/** The same names, with any texts. */
export type Texts = {
  readonly [Name in keyof typeof english]: (typeof english)[Name] extends string
    ? string
    : { readonly [Part in keyof (typeof english)[Name]]: string }
}
