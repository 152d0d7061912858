import { hash, randomInt } from 'node:crypto'
import { dayMs } from '../../lib/timestamps.ts'
import type { CounterOp, CounterState, Reservation, Subjects } from '../../limits/counters.ts'
import { maxUndelayed, type Scope } from '../../limits/scopes.ts'

export interface Run {
  readonly script: ReturnType<typeof scriptOf>
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** A Lua script. Once Redis has run it, the digest is enough. */
const scriptOf = (source: string) => ({ source, digest: hash('sha1', source) })

/** Changes whenever counters are reset; each instance then clears its own. */
export const resetsKey = 'menagerie:limit-resets'
export const resetsKeptMs = dayMs
/** Random, so that it differs even if Redis has lost the last value. */
export const newResets = () => String(randomInt(1, 2 ** 31))
export const keyOf = ({ name }: Pick<Scope, 'name'>, subject: string) => `menagerie:limit:${name}:${subject}`

/** Reservations of a dead instance are released after this. */
const leaseMs = 60_000

/**
 * Requests are a number. Failures are a hash: `used`, absent while it is 0, and one field per reservation with the time
 * at which it is released. A key without an expiry gets one.
 */
const hitScript = scriptOf(`
local now
local reply = { tonumber(redis.call('GET', KEYS[#KEYS]) or 0) or 0 }
local undelayed = true
for index = 1, #KEYS - 1 do
  local key, at = KEYS[index], index * 4 - 1
  local act, length = ARGV[at], tonumber(ARGV[at + 1])
  local count, pending, reserved = 0, 0, 0
  if act == 'count' then
    count = redis.call('INCR', key)
    undelayed = undelayed and count <= tonumber(ARGV[at + 3])
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
      elseif act == 'reserve' then
        redis.call('HDEL', key, fields[field])
      end
    end
    if act == 'reserve' and undelayed and count + pending < tonumber(ARGV[at + 2]) then
      redis.call('HSET', key, ARGV[1], string.format('%.0f', now + ARGV[2]))
      pending, reserved = pending + 1, 1
    end
  end
  local left = count + pending > 0 and redis.call('PTTL', key) or -2
  if left < 0 then
    left = length
    if act == 'count' or reserved == 1 then redis.call('PEXPIRE', key, length) end
  end
  reply[#reply + 1] = count
  reply[#reply + 1] = pending
  reply[#reply + 1] = left
  reply[#reply + 1] = reserved
end
return reply
`)

/** Counts before it releases: a hash that loses its last field also loses its expiry. */
const settleScript = scriptOf(`
local outcome = ARGV[2]
if outcome == 'failed' or (outcome == 'failed-if-known' and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1) then
  redis.call('HINCRBY', KEYS[1], 'used', 1)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
end
return redis.call('HDEL', KEYS[1], ARGV[1])
`)

const forgetScript = scriptOf(`
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return redis.call('HDEL', KEYS[1], 'used')
`)

export function hitRun(ops: readonly CounterOp[], subjects: Subjects, reservationId: string): Run {
  const keys: string[] = []
  const args = [reservationId, String(leaseMs)]
  for (const { scope, act } of ops) {
    keys.push(keyOf(scope, subjects[scope.by]))
    const operation = act === 'peek' && scope.counts === 'requests' ? 'read' : act
    args.push(operation, String(scope.windowMs), String(scope.max), String(maxUndelayed(scope)))
  }
  keys.push(resetsKey)
  return { script: hitScript, keys, args }
}

/** Window ends are computed on our own clock from before the request, so they are never too late. */
export function readHit(reply: unknown, sentAt: number) {
  const numbers = reply as readonly number[]
  const numberAt = (at: number) => numbers[at] as number
  const states: CounterState[] = []
  for (let at = 1; at < numbers.length; at += 4) {
    states.push({
      count: numberAt(at),
      pending: numberAt(at + 1),
      endsAt: sentAt + numberAt(at + 2),
      reserved: numberAt(at + 3) === 1,
    })
  }
  return { resets: numberAt(0), states }
}

/** `failed-if-known` counts once, however often it is sent, and only if Redis still has the reservation. */
export type Settlement = 'succeeded' | 'failed' | 'failed-if-known'

export const settleRun = ({ scope, subject, id }: Reservation, settlement: Settlement): Run => ({
  script: settleScript,
  keys: [keyOf(scope, subject)],
  args: [id, settlement, String(scope.windowMs)],
})

export const forgetRun = (scope: Scope, subject: string): Run => ({
  script: forgetScript,
  keys: [keyOf(scope, subject), resetsKey],
  args: [newResets(), String(resetsKeptMs)],
})

/** Reserves and settles on a separate key: if that works, counting works. */
export function probeRuns(id: string): readonly [Run, Run] {
  const keys = [`menagerie:limit:probe:${id}`]
  return [
    { script: hitScript, keys: [...keys, resetsKey], args: [id, String(leaseMs), 'reserve', '1000', '1', '1'] },
    { script: settleScript, keys, args: [id, 'failed', '1000'] },
  ]
}
