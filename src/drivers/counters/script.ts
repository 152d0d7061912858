import { hash } from 'node:crypto'
import type { Ask, Place, Standing, Subjects } from '../../limits/counters.ts'
import { quietMost, type Scope } from '../../limits/scopes.ts'

/** What Redis runs as one act, known to it by its digest once it has seen it. */
export interface Script {
  readonly source: string
  readonly digest: string
}

export interface Run {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

export interface HitReply {
  /** How often an operator has reset counters. */
  readonly resets: number
  readonly standings: readonly Standing[]
}

const scriptOf = (source: string): Script => ({ source, digest: hash('sha1', source) })

export const resetsKey = 'menagerie:limit-resets'
export const keyOf = ({ name }: Pick<Scope, 'name'>, subject: string) => `menagerie:limit:${name}:${subject}`

/** Places come back after this if their instance has died with them. */
export const leaseMs = 60_000

/**
 * Requests are a number. Failures are a hash: `used`, which is absent while it is 0, and one field for each place that
 * is taken, with the moment at which it comes back. A key without an end gets one, however it came to be.
 */
const hitScript = scriptOf(`
local now
local reply = { tonumber(redis.call('GET', KEYS[#KEYS]) or 0) or 0 }
local quiet = true
for index = 1, #KEYS - 1 do
  local key, at = KEYS[index], index * 4 - 1
  local act, length = ARGV[at], tonumber(ARGV[at + 1])
  local count, pending, taken = 0, 0, 0
  if act == 'add' then
    count = redis.call('INCR', key)
    quiet = quiet and count <= tonumber(ARGV[at + 3])
  elseif act == 'read' then
    count = tonumber(redis.call('GET', key) or 0)
  else
    if not now then
      local time = redis.call('TIME')
      now = time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local fields = redis.call('HGETALL', key)
    for field = 1, #fields, 2 do
      local value = tonumber(fields[field + 1])
      if fields[field] == 'used' then
        count = value
      elseif value > now then
        pending = pending + 1
      elseif act == 'take' then
        redis.call('HDEL', key, fields[field])
      end
    end
    if act == 'take' and quiet and count + pending < tonumber(ARGV[at + 2]) then
      redis.call('HSET', key, ARGV[1], string.format('%.0f', now + ARGV[2]))
      pending, taken = pending + 1, 1
    end
  end
  local left = count + pending > 0 and redis.call('PTTL', key) or -2
  if left < 0 then
    left = length
    if act == 'add' or taken == 1 then redis.call('PEXPIRE', key, length) end
  end
  reply[#reply + 1] = count
  reply[#reply + 1] = pending
  reply[#reply + 1] = left
  reply[#reply + 1] = taken
end
return reply
`)

/** It counts before it gives the place back: a hash that loses its last field loses its end too. */
const settleScript = scriptOf(`
local outcome = ARGV[2]
if outcome == 'failed' or (outcome == 'failed-if-known' and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1) then
  redis.call('HINCRBY', KEYS[1], 'used', 1)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
end
return redis.call('HDEL', KEYS[1], ARGV[1])
`)

export const subjectOf = ({ by }: Scope, { address, name }: Subjects) => (by === 'address' ? address : name)

export function hitRun(asks: readonly Ask[], subjects: Subjects, placeId: string): Run {
  const keys: string[] = []
  const args = [placeId, String(leaseMs)]
  for (const { scope, act } of asks) {
    keys.push(keyOf(scope, subjectOf(scope, subjects)))
    const told = act === 'look' && scope.counts === 'requests' ? 'read' : act
    args.push(told, String(scope.windowMs), String(scope.max), String(quietMost(scope)))
  }
  keys.push(resetsKey)
  return { script: hitScript, keys, args }
}

/** Windows end by our own clock, counted from before it was asked: never later than they really do. */
export function readHit(reply: unknown, sentAt: number): HitReply {
  const numbers = reply as readonly number[]
  const numberAt = (at: number) => numbers[at] as number
  const standings: Standing[] = []
  for (let at = 1; at < numbers.length; at += 4) {
    standings.push({
      count: numberAt(at),
      pending: numberAt(at + 1),
      endsAt: sentAt + numberAt(at + 2),
      taken: numberAt(at + 3) === 1,
    })
  }
  return { resets: numberAt(0), standings }
}

/** `failed-if-known`: as often as it is said, it counts once, and only where the place was taken there. */
export type Outcome = 'succeeded' | 'failed' | 'failed-if-known'

export const settleRun = ({ scope, subject, id }: Place, outcome: Outcome): Run => ({
  script: settleScript,
  keys: [keyOf(scope, subject)],
  args: [id, outcome, String(scope.windowMs)],
})

/** Takes a place on a key of its own and gives it back: where that works, counting works. */
export function probeRuns(id: string): readonly [Run, Run] {
  const keys = [`menagerie:limit:probe:${id}`]
  return [
    { script: hitScript, keys: [...keys, resetsKey], args: [id, String(leaseMs), 'take', '1000', '1', '1'] },
    { script: settleScript, keys, args: [id, 'failed', '1000'] },
  ]
}
