/* Why a mutant may live. */

const cache = 'Only how much a cache keeps, or whether it does: the results are the same, more slowly'
const shortcut = 'Only a shortcut: without it, the result is the same, more slowly'
const equivalent = 'The same for every value that can occur here'
const onlyText = 'A default that is replaced by another text that is refused in the same way'

/**
 * Mutants that no test kills, by file: the name of the mutant, and why it may live. `npm run test:mutation` fails if one
 * of them is killed or no longer exists.
 */
export const survivors: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/accounts/admin/permissions.ts': {
    "export const mayCreate = (actor: Role, role: Role) => mayChangeRole(actor, ⟦'user' → ''⟧, role)":
      'An unknown role has a lower priority than `user`, which outranks nobody either way',
  },
  'src/accounts/embed-tokens.ts': {
    'const maxKept = ⟦10_000 → 10001⟧': cache,
    'const maxKept = ⟦10_000 → 9999⟧': cache,
    'if (⟦known !== undefined → false⟧) return known': cache,
    "if (⟦id !== null → true⟧) checked.set(Buffer.from(token).toString('latin1'), id)": cache,
    "if (⟦id !== null → false⟧) checked.set(Buffer.from(token).toString('latin1'), id)": cache,
    "if (id ⟦!== → ===⟧ null) checked.set(Buffer.from(token).toString('latin1'), id)": cache,
    "if (id !== null) ⟦checked.set(Buffer.from(token).toString('latin1'), id) → undefined⟧": cache,
    "const hex = (byte: number) => byte.toString(⟦16 → 17⟧).padStart(2, '0')":
      'The version is 1, which has one digit in every base',
    "const hex = (byte: number) => byte.toString(⟦16 → 15⟧).padStart(2, '0')":
      'The version is 1, which has one digit in every base',
    "body.toString('hex', 1).replace(⟦/^(.{8})(.{4})(.{4})(.{4})(.{12})$/ → /(.{8})(.{4})(.{4})(.{4})(.{12})$/⟧, '$1-$2-$3-$4-$5')":
      'An id always has 32 digits, so the anchors hold by themselves',
    "body.toString('hex', 1).replace(⟦/^(.{8})(.{4})(.{4})(.{4})(.{12})$/ → /^(.{8})(.{4})(.{4})(.{4})(.{12})/⟧, '$1-$2-$3-$4-$5')":
      'An id always has 32 digits, so the anchors hold by themselves',
  },
  'src/accounts/guard.ts': {
    'if (⟦keyScope === null → false⟧) return keyErrors.null':
      'The entry `null` of the errors is found by the last line too',
  },
  'src/accounts/key-secret.ts': {
    'if (⟦!authorization.includes(prefix) → false⟧) return undefined': shortcut,
    "const secret = inHeader.exec(authorization.trim())?.[1] ?? ⟦'' → 'mutant'⟧": onlyText,
  },
  'src/accounts/roles.ts': {
    'export const priorityOf = (role: Role): number => roles.⟦indexOf → lastIndexOf⟧(role)': 'Each role is listed once',
  },
  'src/accounts/secrets-in-paths.ts': {
    'const tokenLength = ⟦44 → 45⟧': shortcut,
    'const tokenLength = ⟦44 → 43⟧': shortcut,
    'if (⟦path.length < tokenLength → false⟧ && !suspicious.test(path)) return path': shortcut,
    'if (⟦path.length < tokenLength && !suspicious.test(path) → false⟧) return path': shortcut,
    'if (path.length ⟦< → <=⟧ tokenLength && !suspicious.test(path)) return path': shortcut,
    "if (⟦!path.includes('%') → false⟧) return path": shortcut,
    "if (!path.includes(⟦'%' → ''⟧)) return path": shortcut,
  },
  'src/accounts/session-cookie.ts': {
    "const originsOf = (host = ⟦'' → 'mutant'⟧) => ['http', 'https'].map((scheme) => URL.parse(`${scheme}://${host}`)?.origin)":
      'A request without a Host is refused earlier; this host is that of no origin',
    "export const isSecureOrigin = ({ origin = ⟦'' → 'mutant'⟧ }: Heads, baseOrigin: string | null) =>": onlyText,
    "const [secret = ⟦'' → 'mutant'⟧] = [...secrets].map((pair) => pair.slice(cookieName.length + 1))": onlyText,
  },
  'src/accounts/tokens.ts': {
    'const maxKept = ⟦10_000 → 10001⟧': cache,
    'const maxKept = ⟦10_000 → 9999⟧': cache,
    'if (⟦error instanceof JOSEError → true⟧) return null':
      'No other error can be provoked: this one is for what nobody expects',
    'Number.isSafeInteger(seconds) && (seconds as number) >= 0 && (seconds as number) * 1000 ⟦<= → <⟧ lastTime':
      'The last time is 999 ms after a whole second',
  },
  'src/http/conditional-requests.ts': {
    'return ⟦date !== undefined → true⟧ && wholeSeconds(modified) <= date':
      'Nothing is less than or equal to undefined',
    "const [, from = '', to = ''] = /^bytes=[ \\t]*(\\d*)-(\\d*)[ \\t]*$/i.exec(text.trim()) ?? ⟦[] → ['mutant']⟧":
      'What is in it is compared with ETags in quotes, or skipped',
    '? (list.match(/(?:W\\/)?"[^"]*"/g) ?? ⟦[] → [\'mutant\']⟧)':
      'What is in it is compared with ETags in quotes, or skipped',
    ": ⟦[] → ['mutant']⟧": 'What is in it is compared with ETags in quotes, or skipped',
  },
  'src/images/filter.ts': {
    '? { orientation, animated, minWidth: Math.max(minWidth ?? ⟦1 → 0⟧, 1), minHeight: Math.max(minHeight ?? 1, 1) }':
      'The other bound of 1 replaces it',
    '? { orientation, animated, minWidth: Math.max(minWidth ?? 1, 1), minHeight: Math.max(minHeight ?? ⟦1 → 0⟧, 1) }':
      'The other bound of 1 replaces it',
  },
  'src/images/names.ts': {
    "const slash = key.⟦indexOf → lastIndexOf⟧('/')": 'No kind has a slash, so a key with two is refused either way',
    'return slash ⟦> → >=⟧ 0 && kinds.has(kind) && isFilename(name) && key.length <= maxKeyBytes ? { kind, filename: name } : null':
      'No kind is empty, so a key that begins with a slash is refused either way',
    'return slash > ⟦0 → (-1)⟧ && kinds.has(kind) && isFilename(name) && key.length <= maxKeyBytes ? { kind, filename: name } : null':
      'No kind is empty, so a key that begins with a slash is refused either way',
  },
  'src/images/served-name.ts': {
    "const [, front = ⟦'' → 'mutant'⟧, ending = ''] = /^(.*?)(\\.[a-zA-Z0-9]+)?$/.exec(plain) ?? []":
      'The pattern matches every text without line breaks, which are hyphens by then',
    "const [, front = '', ending = ''] = ⟦/^(.*?)(\\.[a-zA-Z0-9]+)?$/ → /(.*?)(\\.[a-zA-Z0-9]+)?$/⟧.exec(plain) ?? []":
      'It matches at the start of every text',
    "const [, front = '', ending = ''] = /^(.*?)(\\.[a-zA-Z0-9]+)?$/.exec(plain) ?? ⟦[] → ['mutant']⟧":
      'The pattern matches every text without line breaks, which are hyphens by then',
  },
  'src/images/walk.ts': {
    'const bits = place ⟦< → <=⟧ 0 ? 0 : highOf(place)':
      'Matters only for an image at the first of four billion places',
    'const bits = place < ⟦0 → 1⟧ ? 0 : highOf(place)': 'Matters only for an image at the first of four billion places',
    'const bits = place < 0 ? ⟦0 → 1⟧ : highOf(place)': 'Matters only for an image at the first of four billion places',
    'const low = ⟦place < 0 → false⟧ ? -1 : lowOf(place)':
      'Matters only for an image at the first of four billion places',
    'const low = place ⟦< → <=⟧ 0 ? -1 : lowOf(place)': 'Matters only for an image at the first of four billion places',
    'const low = place < ⟦0 → 1⟧ ? -1 : lowOf(place)': 'Matters only for an image at the first of four billion places',
    'const low = place < ⟦0 → (-1)⟧ ? -1 : lowOf(place)':
      'Matters only for an image at the first of four billion places',
    'const low = place < 0 ? ⟦-1 → +1⟧ : lowOf(place)': 'Matters only for an image at the first of four billion places',
    'const low = place < 0 ? -⟦1 → 2⟧ : lowOf(place)': 'Matters only for an image at the first of four billion places',
    'const low = place < 0 ? -⟦1 → 0⟧ : lowOf(place)': 'Matters only for an image at the first of four billion places',
    'const lengthOf = (size: number) => Math.max(⟦256 → 257⟧, size / 256)':
      'Only where a stretch ends: the order of the walk is the same',
    'const lengthOf = (size: number) => Math.max(⟦256 → 255⟧, size / 256)':
      'Only where a stretch ends: the order of the walk is the same',
    'const lengthOf = (size: number) => Math.max(256, size / ⟦256 → 257⟧)':
      'Only where a stretch ends: the order of the walk is the same',
    'const lengthOf = (size: number) => Math.max(256, size / ⟦256 → 255⟧)':
      'Only where a stretch ends: the order of the walk is the same',
    'for (let length = lengthOf(size); ; length *= ⟦4 → 5⟧) {':
      'Only where a stretch ends: the order of the walk is the same',
    'for (let length = lengthOf(size); ; length *= ⟦4 → 3⟧) {':
      'Only where a stretch ends: the order of the walk is the same',
    'const to = Math.min(hashEnd - ⟦1 → 2⟧, Math.floor(place + (hashEnd / size) * length))':
      'Only where a stretch ends: the order of the walk is the same',
    'const to = Math.min(hashEnd - 1, Math.⟦floor → ceil⟧(place + (hashEnd / size) * length))':
      'Only where a stretch ends: the order of the walk is the same',
    'entriesFrom: ⟦0 → 1⟧,': 'There are no entries yet',
    'entriesFrom: ⟦0 → (-1)⟧,': 'There are no entries yet',
    'const maxSkipped = ⟦64 → 65⟧': 'Only if 63 rounds in a row begin with an image to avoid',
    'const maxSkipped = ⟦64 → 63⟧': 'Only if 63 rounds in a row begin with an image to avoid',
    'const begin = (its: number) => stretchAfter(images, walker, { round: its, place: ⟦-1 → +1⟧ })':
      'Matters only for an image at the first of four billion places',
    'const begin = (its: number) => stretchAfter(images, walker, { round: its, place: -⟦1 → 2⟧ })':
      'Matters only for an image at the first of four billion places',
    'const begin = (its: number) => stretchAfter(images, walker, { round: its, place: -⟦1 → 0⟧ })':
      'Matters only for an image at the first of four billion places',
    'const hashOfFirst = ({ ordinals: [ordinal = ⟦0 → 1⟧] }: Stretch) =>': 'Every stretch of a new round has an image',
    'const hashOfFirst = ({ ordinals: [ordinal = ⟦0 → (-1)⟧] }: Stretch) =>':
      'Every stretch of a new round has an image',
    'if (⟦place >= 0 → true⟧ && images.size > 1) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (⟦place >= 0 && images.size > 1 → true⟧) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (⟦place >= 0 && images.size > 1 → place >= 0 || images.size > 1⟧) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (place ⟦>= → >⟧ 0 && images.size > 1) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (place >= ⟦0 → 1⟧ && images.size > 1) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (place >= ⟦0 → (-1)⟧ && images.size > 1) avoided.add(hashAt(seed, place))':
      'No image has the hash of the place before the first, and one in 2 ** 53 that of the first',
    'if (place >= 0 && ⟦images.size > 1 → true⟧) avoided.add(hashAt(seed, place))':
      'A single image is the first of every round, whichever is skipped',
    'if (place >= 0 && images.size ⟦> → >=⟧ 1) avoided.add(hashAt(seed, place))':
      'A single image is the first of every round, whichever is skipped',
    'if (place >= 0 && images.size > ⟦1 → 0⟧) avoided.add(hashAt(seed, place))':
      'A single image is the first of every round, whichever is skipped',
    'for (let next = round + 1; next ⟦< → <=⟧ round + maxSkipped; next++) {':
      'Only if 63 rounds in a row begin with an image to avoid',
    'return begin(round ⟦+ → -⟧ 1)': 'Only if 63 rounds in a row begin with an image to avoid',
    'return begin(round + ⟦1 → 2⟧)': 'Only if 63 rounds in a row begin with an image to avoid',
  },
  'src/lib/cron.ts': {
    'const parsed = createLru<Cron>(⟦2_000 → 2001⟧)': cache,
    'const parsed = createLru<Cron>(⟦2_000 → 1999⟧)': cache,
    '⟦parsed.set(key, cron) → undefined⟧': cache,
    'return cronOf(schedule).nextRun(new Date(after))⟦?. → .⟧getTime() ?? null':
      'Without it the error is caught, with the same result',
    "const fields = expression.split(⟦/\\s+/ → /\\s/⟧).filter((field) => field !== '')":
      'Empty fields are dropped on the next step',
    "return nextRun({ expression, tz: ⟦'UTC' → ''⟧ }, 0) === null ? 'it never fires' : null":
      'Whether an expression is valid or fires at all does not depend on the time zone',
    "return nextRun({ expression, tz: 'UTC' }, ⟦0 → 1⟧) === null ? 'it never fires' : null":
      'An expression that fires does so for ever, whatever the first millisecond is',
    "return nextRun({ expression, tz: 'UTC' }, ⟦0 → (-1)⟧) === null ? 'it never fires' : null":
      'An expression that fires does so for ever, whatever the first millisecond is',
    "parse({ expression: fields.join(' '), tz: ⟦'UTC' → ''⟧ })":
      'Whether an expression is valid or fires at all does not depend on the time zone',
    '} catch ⟦{ return false } → {}⟧': '`undefined` is false, too',
    'return ⟦false → undefined⟧': '`undefined` is false, too',
  },
  'src/lib/http-date.ts': {
    "{ pattern: new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} ([ \\\\d]\\\\d) ${time} (\\\\d{4})$`), order: ⟦'mdty' → ''⟧ },":
      'Any order but `dmy` is this one',
    "const [a = ⟦'' → 'mutant'⟧, b = '', c = '', d = '', e = '', f = ''] = found.slice(1)":
      'A pattern that matched has all six parts',
    "const [a = '', b = ⟦'' → 'mutant'⟧, c = '', d = '', e = '', f = ''] = found.slice(1)":
      'A pattern that matched has all six parts',
    "const [a = '', b = '', c = ⟦'' → 'mutant'⟧, d = '', e = '', f = ''] = found.slice(1)":
      'A pattern that matched has all six parts',
    "const [a = '', b = '', c = '', d = ⟦'' → 'mutant'⟧, e = '', f = ''] = found.slice(1)":
      'A pattern that matched has all six parts',
    "const [a = '', b = '', c = '', d = '', e = ⟦'' → 'mutant'⟧, f = ''] = found.slice(1)":
      'A pattern that matched has all six parts',
    "const [a = '', b = '', c = '', d = '', e = '', f = ⟦'' → 'mutant'⟧] = found.slice(1)":
      'A pattern that matched has all six parts',
    'date.setUTCFullYear(year, months.⟦indexOf → lastIndexOf⟧(monthName), Number(day))': 'Each month is listed once',
    'if (digits.length > ⟦2 → 3⟧) return Number(digits)': 'Years have two digits or four',
  },
  'src/lib/sliding-window.ts': {
    'while (⟦taken.length > 0 → true⟧ && (taken[0] as number) <= now - limit.windowMs) taken.shift()':
      'Nothing that was not taken is older than the window',
    'while (taken.length ⟦> → >=⟧ 0 && (taken[0] as number) <= now - limit.windowMs) taken.shift()':
      'Nothing that was not taken is older than the window',
    'while (taken.length > ⟦0 → (-1)⟧ && (taken[0] as number) <= now - limit.windowMs) taken.shift()':
      'Nothing that was not taken is older than the window',
  },
  'src/lib/time-zone.ts': {
    'const zonePattern = ⟦/^[A-Za-z][A-Za-z0-9_+-]*(\\/[A-Za-z0-9_+-]+)*$/ → /[A-Za-z][A-Za-z0-9_+-]*(\\/[A-Za-z0-9_+-]+)*$/⟧':
      'The system refuses what the anchor would let through',
    'const zonePattern = ⟦/^[A-Za-z][A-Za-z0-9_+-]*(\\/[A-Za-z0-9_+-]+)*$/ → /^[A-Za-z][A-Za-z0-9_+-]*(\\/[A-Za-z0-9_+-]+)*/⟧':
      'The system refuses what the anchor would let through',
    '} catch ⟦{ return undefined } → {}⟧': equivalent,
    'const formats = createLru<Intl.DateTimeFormat>(⟦500 → 501⟧)': cache,
    'const formats = createLru<Intl.DateTimeFormat>(⟦500 → 499⟧)': cache,
    '⟦formats.set(zone, format) → undefined⟧': cache,
    "const name = format.formatToParts(at).⟦find → findLast⟧(({ type }) => type === 'timeZoneName')?.value ?? ''":
      'A time has one name of its zone',
    "const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')⟦?. → .⟧value ?? ''":
      'A time has one name of its zone',
    "const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ⟦'' → 'mutant'⟧":
      'A time has one name of its zone',
    "const [, sign, ...parts] = /([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?/.exec(name) ?? ⟦[] → ['mutant']⟧":
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = ⟦0 → 1⟧, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = ⟦0 → (-1)⟧, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = 0, minutes = ⟦0 → 1⟧, seconds = 0] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = 0, minutes = ⟦0 → (-1)⟧, seconds = 0] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = 0, minutes = 0, seconds = ⟦0 → 1⟧] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
    'const [hours = 0, minutes = 0, seconds = ⟦0 → (-1)⟧] = parts.map((part) => Number(part ?? 0))':
      'Every name has an offset: that of UTC is GMT+00:00',
  },
  'src/limits/decide.ts': {
    'let endsAt = ⟦0 → 1⟧': 'The first scope that counts is always shown, and sets it',
    'let endsAt = ⟦0 → (-1)⟧': 'The first scope that counts is always shown, and sets it',
    'const isShown = refuses ? refusedBy === null || state.endsAt > endsAt : ⟦refusedBy === null → true⟧ && left < remaining':
      'After a refusal nothing is left, and nothing is less',
    'slow === null || ⟦count <= slow.after → false⟧ ? 0 : Math.min(slow.capMs, (count - slow.after) * slow.stepMs)':
      'A delay of less than nothing is none: it is compared with 0',
    'slow === null || count ⟦<= → <⟧ slow.after ? 0 : Math.min(slow.capMs, (count - slow.after) * slow.stepMs)':
      'A delay of less than nothing is none: it is compared with 0',
    'slow === null || count <= slow.after ? ⟦0 → (-1)⟧ : Math.min(slow.capMs, (count - slow.after) * slow.stepMs)':
      'A delay of less than nothing is none: it is compared with 0',
  },
  'src/limits/limit-report.ts': {
    'let offset = clock.now() ⟦- → +⟧ clock.monotonic()': 'Corrected before it is first used, unless it is right',
  },
  'src/limits/plans.ts': {
    "const plan = (all: readonly CounterOp[], guesses: readonly Scope[] = ⟦[] → ['mutant']⟧): Plan => {":
      'It has no limit, so it is left out like a scope that is off',
    "reserves: ops.⟦find → findLast⟧(({ act }) => act === 'reserve')?.scope ?? null,":
      'At most one operation of a plan is of this sort',
    "needsCaller: ops.some(({ scope }) => ⟦scope.by === 'name' → false⟧ || scope.by === 'user'),":
      'No plan counts by name: those limits are of guesses',
    "needsCaller: ops.some(({ scope }) => scope.by === ⟦'name' → ''⟧ || scope.by === 'user'),":
      'No plan counts by name: those limits are of guesses',
    "ofLink: counted.⟦find → findLast⟧(({ scope }) => scope.by === 'link') ?? null,":
      'At most one operation of a plan is of this sort',
  },
  'src/status/component.ts': {
    "...reported(heartbeat, noSchedule, ⟦[] → ['mutant']⟧, now, rules),": equivalent,
    'const at = Math.max(now.wall, incident?.detectedAt ?? ⟦0 → 1⟧)':
      'The wall clock is later than a millisecond before or after 1970',
    'const at = Math.max(now.wall, incident?.detectedAt ?? ⟦0 → (-1)⟧)':
      'The wall clock is later than a millisecond before or after 1970',
    'const target = rules.targets.⟦find → findLast⟧(({ name }) => name === end.target)':
      'Each target is configured once',
  },
  'src/status/flaps.ts': {
    'const isRecovery = ⟦publishedStatus !== null → true⟧ && isDown(publishedStatus) && !isDown(wanted.status)':
      'Nothing published is not down either',
    'now.monotonic < component.upSince + (rules.flapMs ?? ⟦0 → (-1)⟧)':
      'The clock is never before the component came up',
  },
  'src/status/heard.ts': {
    "const schedule = rescheduled(before.schedule, { ...event, status: ⟦'operational' → ''⟧ })":
      'Only `maintenance` is told apart from other statuses here',
  },
  'src/status/periods.ts': {
    'const status = badStatuses.⟦find → findLast⟧((each) => each === to)': 'Each status is listed once',
  },
  'src/status/publication.ts': {
    'const lengthened = (ms: number, jitter: number) => Math.round(ms + Math.min(ms, ⟦75_000 → 75001⟧) * (0.05 + 0.15 * jitter))':
      'Less than half a millisecond, which is rounded away',
    'const lengthened = (ms: number, jitter: number) => Math.round(ms + Math.min(ms, ⟦75_000 → 74999⟧) * (0.05 + 0.15 * jitter))':
      'Less than half a millisecond, which is rounded away',
    "const isThrottled = ⟦end.kind === 'failed' → true⟧ && end.isThrottled === true": 'Only a failure can be throttled',
    'targets.⟦find → findLast⟧(({ name }) => name === each.target),': 'Each target is configured once',
  },
  'src/status/push-queue.ts': {
    'const take = (each: Waiting) => slots === null || slots.take(each.isUrgent() ? 0 : budget⟦?. → .⟧reserved)':
      'There are slots only with a budget',
    'waiting.splice(waiting.⟦indexOf → lastIndexOf⟧(each), 1)': 'Each waits once',
  },
  'src/status/report.ts': {
    'return { ...component, aliveAt: now.wall, deadline: Math.max(deadline, runDeadline(component) ?? ⟦0 → 1⟧), instances }':
      'Every deadline is later than a millisecond after the clock began',
    'return { ...component, aliveAt: now.wall, deadline: Math.max(deadline, runDeadline(component) ?? ⟦0 → (-1)⟧), instances }':
      'Every deadline is later than a millisecond after the clock began',
    "const schedule = rescheduled(component.schedule, { ...terms, status: ⟦'operational' → ''⟧ })":
      'Only `maintenance` is told apart from other statuses here',
    'return isExpected && graceMs > ⟦0 → 1⟧ && now.monotonic >= component.deadline - graceMs':
      'A grace has whole seconds',
  },
  'src/status/schedule.ts': {
    'return { timeoutMs: schedule.maintenanceTimeoutMs ?? Math.max(rules.maintenanceTimeoutMs, own ?? ⟦0 → 1⟧), graceMs }':
      'It is compared with a timeout of at least ten seconds',
    'return { timeoutMs: schedule.maintenanceTimeoutMs ?? Math.max(rules.maintenanceTimeoutMs, own ?? ⟦0 → (-1)⟧), graceMs }':
      'It is compared with a timeout of at least ten seconds',
  },
  'src/status/wanted.ts': {
    "const isRecovery = wanted.status === 'operational' && ⟦publishedStatus !== null → true⟧ && isDown(publishedStatus)":
      'Nothing published is not down either',
    'publications.⟦find → findLast⟧((each) => each.target === target)': 'A component has each target once',
    'if (⟦due.length === 0 → false⟧) return []': shortcut,
    'if (due.length === ⟦0 → (-1)⟧) return []': shortcut,
  },
}
