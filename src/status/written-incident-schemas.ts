import { array, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { badStatuses } from './periods.ts'
import { params, reply } from './schemas.ts'
import { stages } from './written-incidents.ts'

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
export const incidentId = string({ examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] })
export const level = oneOf(badStatuses, { examples: ['partial'] })
export const stage = oneOf(stages, { examples: ['identified'] })
export const title = string({ examples: ['Slow uploads'] })
const updateText = string({ examples: ['A disk has failed. We are replacing it.'] })

const incidentFields = object(
  {
    id: incidentId,
    components: array(params.componentId, { description: 'None: the service as a whole' }),
    byHand: nullable(
      object(
        { title, level, startedAt: timestamp(aTime), resolvedAt: nullable(timestamp(aTime)) },
        { title: 'OpenedByHand', description: 'Null if silence opened it: see `GET /incidents`' },
      ),
    ),
    updates: array(
      object({ id: incidentId, at: timestamp(aTime), stage, text: updateText }, { title: 'IncidentUpdate' }),
      { description: 'Oldest first' },
    ),
  },
  { title: 'WrittenIncident' },
)

export const writtenIncident = reply('WrittenIncidentReply', { incident: incidentFields })
export const writtenIncidents = reply('WrittenIncidentPage', {
  incidents: array(incidentFields, { description: 'Newest first' }),
  next: nullable(string({ description: 'The `cursor` of the next page; null on the last' })),
})
