import { array, boolean, integer, nullable, number, object, oneOf, string, timestamp } from '../http/schema.ts'
import { runOutcomes } from './runs.ts'
import { params, reply } from './schemas.ts'

const { componentId } = params
const aTime = { examples: ['2026-06-01T03:00:00.000Z'] }

export const started = reply('RunStarted', {
  componentId,
  running: integer({
    minimum: 1,
    description: 'How many runs are in progress; more than 1: they overlap',
    examples: [1],
  }),
})

const run = object(
  {
    id: string({ examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e6'] }),
    rid: nullable(string({ description: 'The `rid` that it was sent with', examples: ['2026-06-01T0300'] })),
    outcome: oneOf(runOutcomes, {
      description: '`lost`: it did not end within `maxRunSeconds`',
      examples: ['failed'],
    }),
    startedAt: nullable(timestamp({ description: 'Null if only its end was sent', ...aTime })),
    endedAt: nullable(timestamp({ examples: ['2026-06-01T03:12:00.000Z'] })),
    durationSeconds: nullable(integer({ minimum: 0, description: 'Until now, if it is running', examples: [720] })),
    exitCode: nullable(integer({ minimum: 0, maximum: 255, examples: [3] })),
    overlaps: boolean({ description: 'Whether it started while another one was running', examples: [false] }),
    body: nullable(string({ description: 'Control characters are replaced', examples: ['disk full'] })),
  },
  { title: 'Run' },
)

export const runs = reply('RunList', { componentId, maxRunSeconds: number({ examples: [86_400] }), runs: array(run) })
