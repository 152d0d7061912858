import { array, boolean, integer, nullable, object, oneOf, string } from '../http/schema.ts'
import { params, pushFields, reply } from './schemas.ts'

const namePattern = '^[a-z][a-z0-9_]{0,31}$'
const nameLike = new RegExp(namePattern)
export const isTargetName = (text: string) => nameLike.test(text)
const target = string({ pattern: namePattern, examples: ['default'] })
export const targetParams = { target }

const { at, reason } = pushFields
const test = object(
  {
    at,
    outcome: oneOf(['accepted', 'failed', 'uncertain', 'sending'], {
      description: '`uncertain`: it may have arrived; `sending`: no response yet',
      examples: ['accepted'],
    }),
    reason,
  },
  { title: 'TargetTest' },
)

export const targetTest = reply('TargetTestReply', { target, test })

export const targets = reply('TargetList', {
  targets: array(
    object(
      {
        target,
        kind: string({ examples: ['native'] }),
        host: string({ examples: ['status.example.org'] }),
        isAlert: boolean({ description: 'Notified only of outages and recoveries', examples: [false] }),
        reminderSeconds: nullable(
          integer({ description: 'How often an alert channel is reminded of an outage', examples: [3600] }),
        ),
        lastPushes: array(object({ componentId: params.componentId, ...pushFields }, { title: 'TargetPush' }), {
          description: 'The last 20, newest first; empty when the worker becomes the leader',
        }),
        lastTest: nullable(test),
      },
      { title: 'Target' },
    ),
  ),
})
