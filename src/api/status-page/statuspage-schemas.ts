import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  string,
  type TypeOf,
  timestamp,
} from '../../http/schema.ts'
import { stages } from '../../status/written-incidents.ts'

/* The shape of Atlassian Statuspage's public API, for programs that read it already. */

const componentStates = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const
export type ComponentState = (typeof componentStates)[number]

const indicators = ['none', 'minor', 'major', 'critical', 'maintenance'] as const
export type Indicator = (typeof indicators)[number]

const at = timestamp({ examples: ['2026-06-01T12:00:00.000Z'] })
const pageId = string({ description: 'Made from the URL of the page', examples: ['5f2b1c7d9e03'] })
const url = string({ examples: ['https://menagerie.example/status'] })

const page = object(
  {
    id: pageId,
    name: string({ examples: ['Status'] }),
    url,
    time_zone: literal('Etc/UTC'),
    updated_at: timestamp({
      description: 'The latest change that the page shows',
      examples: ['2026-06-01T12:00:00.000Z'],
    }),
  },
  { title: 'StatuspagePage' },
)

const status = object(
  {
    indicator: oneOf(indicators, { description: 'Of all components and open incidents', examples: ['none'] }),
    description: string({ examples: ['All Systems Operational'] }),
  },
  { title: 'StatuspageStatus' },
)

const component = object(
  {
    id: string({ description: 'As in `STATUS_PAGE_COMPONENTS`; of a group, made from its name', examples: ['api'] }),
    name: string({ examples: ['Website'] }),
    status: oneOf(componentStates, {
      description: 'Of a group, the worst of its components. An unknown state is `degraded_performance`',
      examples: ['operational'],
    }),
    created_at: timestamp({
      description: 'The first of the last 90 days of which anything is known',
      examples: ['2026-06-01T00:00:00.000Z'],
    }),
    updated_at: timestamp({ description: 'Since when it has had this state', examples: ['2026-06-01T12:00:00.000Z'] }),
    position: integer({ minimum: 1, description: 'Within its group, or on the page', examples: [1] }),
    description: nullable(string({ description: 'Says that the state is unknown', examples: ['Unknown'] })),
    showcase: boolean({ examples: [true] }),
    start_date: nullable(string()),
    group_id: nullable(string({ examples: ['_5f2b1c7d9e03'] })),
    page_id: pageId,
    group: boolean({ description: 'Whether it is a group of components', examples: [false] }),
    only_show_if_degraded: boolean({ examples: [false] }),
  },
  { title: 'StatuspageComponent' },
)

const entry = {
  id: string({ examples: ['api-20260601120000000'] }),
  name: string({ examples: ['Website'] }),
  created_at: at,
  updated_at: at,
  started_at: at,
  monitoring_at: nullable(at),
  resolved_at: nullable(at),
  shortlink: url,
  page_id: pageId,
  components: array(component),
}

const update = <T extends readonly string[]>(states: T, title: string) =>
  object(
    {
      id: string({ examples: ['api-20260601120000000-0'] }),
      incident_id: string({ examples: ['api-20260601120000000'] }),
      status: oneOf(states),
      body: string({ examples: ['Outage'] }),
      created_at: at,
      updated_at: at,
      display_at: at,
    },
    { title },
  )

const incident = object(
  {
    ...entry,
    status: oneOf(stages, { examples: ['investigating'] }),
    impact: oneOf(['none', 'minor', 'major', 'critical'], { examples: ['critical'] }),
    incident_updates: array(update(stages, 'StatuspageUpdate'), {
      description: 'Newest first. If nobody has written about it, one that names the state',
    }),
  },
  { title: 'StatuspageIncident' },
)

const maintenanceStates = ['scheduled', 'in_progress'] as const
const maintenance = object(
  {
    ...entry,
    status: oneOf(maintenanceStates, { examples: ['scheduled'] }),
    impact: literal('maintenance'),
    scheduled_for: at,
    scheduled_until: at,
    incident_updates: array(update(maintenanceStates, 'StatuspageMaintenanceUpdate')),
  },
  { title: 'StatuspageMaintenance' },
)

export const statusOnly = object({ page, status }, { title: 'StatuspageStatusReply' })
export const statuspageSummary = object(
  {
    page,
    components: array(component, { description: 'In the order of the page; a group is one, before its components' }),
    incidents: array(incident, { description: 'Those that are not resolved' }),
    scheduled_maintenances: array(maintenance, { description: 'Planned, and in progress' }),
    status,
  },
  { title: 'StatuspageSummary' },
)

export type StatuspageSummary = TypeOf<typeof statuspageSummary>
export type StatuspageComponent = StatuspageSummary['components'][number]
