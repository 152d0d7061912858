import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../status/worker-stage.ts'
import { kill, type Process, start } from '../support/killed-worker.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { StatusServer } from '../support/status-servers.ts'
import { type Store, stores } from '../support/stores.ts'
import { seededRandom } from '../support/uniform.ts'

const kills = Number(process.env.WORKER_KILLS || sized(2, 3, 8))
const seed = seedOr(11)
const ids = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']
const repeated = 'Possibly repeated: whether the message arrived before is unknown.'

// biome-ignore lint/suspicious/noExplicitAny: the replies of the worker
type Body = any

/** The steps of one sender, in their order: those that were answered, and those that a kill cut off. */
interface Sender {
  readonly done: string[]
  readonly unsure: string[]
}

const senders = () => new Map(ids.map((id): [string, Sender] => [id, { done: [], unsure: [] }]))

async function call(worker: Process, method: string, path: string, body?: string | object): Promise<Body> {
  const type = typeof body === 'object' ? 'application/json' : 'text/plain'
  const sent = typeof body === 'object' ? JSON.stringify(body) : body
  const response = await fetch(worker.url + path, {
    method,
    ...(sent !== undefined && { body: sent, headers: { 'content-type': type } }),
  })
  const reply = await response.json()
  if (!response.ok) assert.fail(`${method} ${path}: ${response.status} ${JSON.stringify(reply)}`)
  return reply
}

const farAway = new Date(Date.now() + 86_400_000).toISOString()

/** The steps of the n-th outage of a component, in their order. */
const steps = {
  succeed: (id: string, n: number) => ['POST', `/heartbeat/${id}/0?rid=o${n}`, `done ${n}`] as const,
  begin: (id: string, n: number) => ['POST', `/heartbeat/${id}/start?rid=r${n}`] as const,
  mute: (id: string, n: number) => ['PUT', `/components/${id}/mute`, { until: farAway, by: `p${n}` }] as const,
  unmute: (id: string) => ['DELETE', `/components/${id}/mute`] as const,
  fail: (id: string, n: number) => ['POST', `/heartbeat/${id}/3?rid=r${n}`, `disk full ${n}`] as const,
  acknowledge: (id: string, n: number) => ['POST', `/components/${id}/acknowledge`, { by: `p${n}` }] as const,
}
type Step = keyof typeof steps

/** Until the worker is killed, which is the only failure of a request that it may cause. */
async function drive(worker: Process, id: string, sender: Sender, first: number, onDone: () => void): Promise<void> {
  for (let n = first; ; n++)
    for (const step of Object.keys(steps) as Step[]) {
      const [method, path, body] = steps[step](id, n)
      sender.unsure.push(`${step} ${n}`)
      await call(worker, method, path, body)
      sender.done.push(...sender.unsure.splice(-1))
      onDone()
    }
}

const isCutOff = (error: unknown) => error instanceof TypeError

/** What was answered holds; what was not holds whole or not at all; nothing holds twice. */
async function checkComponent(worker: Process, id: string, { done, unsure }: Sender): Promise<void> {
  const last = done.at(-1)
  if (last === undefined) return
  const { runs } = await call(worker, 'GET', `/components/${id}/runs`)
  const byName = new Map<string, Body>(runs.map((run: Body) => [run.rid, run]))
  assert.equal(byName.size, runs.length, `${id}: a run is there twice`)
  const isDone = (step: Step, n: number) => done.includes(`${step} ${n}`)
  const newest = Number(last.split(' ')[1])
  for (let n = Math.max(1, newest - 4); n <= newest; n++) {
    const [good, bad] = [byName.get(`o${n}`), byName.get(`r${n}`)]
    if (isDone('succeed', n)) assert.deepEqual([good?.outcome, good?.body], ['succeeded', `done ${n}`], `${id} o${n}`)
    if (isDone('fail', n))
      assert.deepEqual([bad?.outcome, bad?.exitCode, bad?.body], ['failed', 3, `disk full ${n}`], `${id} r${n}`)
    else if (isDone('begin', n))
      assert.ok(
        bad?.outcome === 'running' || (bad?.outcome === 'failed' && unsure.includes(`fail ${n}`)),
        `${id} r${n}`,
      )
  }
  const [component] = (await call(worker, 'GET', `/components?componentId=${id}`)).components
  const numberOf = (step: string) => Number(step.split(' ')[1])
  const muting = done.findLast((step) => step.includes('mute'))
  const isUnsure = unsure.some((step) => step.includes('mute') && numberOf(step) >= numberOf(muting ?? ' 0'))
  if (muting !== undefined && !isUnsure)
    assert.equal(component.mute?.by ?? null, muting.startsWith('mute') ? `p${numberOf(muting)}` : null, id)
  const isOver = unsure.includes(`succeed ${newest + 1}`) && component.wantedStatus === 'operational'
  if (last === `acknowledge ${newest}` && !isOver)
    assert.deepEqual([component.wantedStatus, component.acknowledgement?.by], ['outage', `p${newest}`], id)
}

interface Written {
  /** Null until its opening is answered. */
  id: string | null
  readonly title: string
  readonly texts: string[]
  unsure: string | null
}

async function write(worker: Process, written: Written[], onDone: () => void): Promise<void> {
  for (;;) {
    const title = `Incident ${written.length}`
    const own: Written = { id: null, title, texts: [], unsure: 'opened' }
    written.push(own)
    const opening = { title, level: 'degraded', text: 'opened' }
    own.id = (await call(worker, 'POST', '/incidents', opening)).incident.id as string
    own.texts.push('opened')
    for (const stage of ['identified', 'monitoring', 'resolved', 'postmortem']) {
      own.unsure = stage
      await call(worker, 'POST', `/incidents/${own.id}/updates`, { stage, text: stage })
      own.texts.push(stage)
      onDone()
    }
    own.unsure = null
  }
}

async function checkWritten(worker: Process, written: readonly Written[]): Promise<void> {
  const found: Body[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Body = await call(worker, 'GET', `/incidents/written${cursor && `?cursor=${cursor}`}`)
    found.push(...page.incidents)
    cursor = page.next
  }
  for (const { title, texts, unsure } of written) {
    const own = found.filter(({ byHand }) => byHand.title === title)
    assert.ok(own.length === 1 || (own.length === 0 && texts.length === 0), `${title}: ${own.length} times`)
    const kept = own.flatMap(({ updates }) => updates.map(({ text }: Body) => text))
    if (kept.length > texts.length) assert.deepEqual(kept, [...texts, unsure], title)
    else assert.deepEqual(kept, texts, title)
  }
  // Each change has its record, saved with it.
  const records: Body[] = []
  for (let after = ''; ; after = `&after=${records.at(-1).id}`) {
    const page = (await call(worker, 'GET', `/audit?limit=500${after}`)).records
    records.push(...page)
    if (page.length < 500) break
  }
  for (const { id, updates } of found)
    assert.equal(records.filter(({ target }) => target === id).length, updates.length, `records of ${id}`)
}

interface Rule {
  readonly text: string
  /** Null until its announcement is answered. */
  id: string | null
  end: 'none' | 'unsure' | 'answered'
}

/** Rules of maintenance that recurs, each ended again unless the worker is killed before. */
async function rule(worker: Process, rules: Rule[], onDone: () => void): Promise<void> {
  for (;;) {
    const own: Rule = { text: `Rule ${rules.length}`, id: null, end: 'none' }
    rules.push(own)
    const terms = { components: ['c0'], schedule: '0 3 1 1 *', durationSeconds: 3_600, text: own.text }
    own.id = (await call(worker, 'POST', '/maintenance/recurring', terms)).recurring.id
    onDone()
    own.end = 'unsure'
    await call(worker, 'DELETE', `/maintenance/recurring/${own.id}`)
    own.end = 'answered'
    onDone()
  }
}

async function checkRules(worker: Process, rules: readonly Rule[]): Promise<void> {
  const found: Body[] = (await call(worker, 'GET', '/maintenance/recurring')).recurring
  for (const { text, id, end } of rules) {
    const own = found.filter((each) => each.text === text && each.endedAt === null)
    const expected = end === 'answered' ? [0] : end === 'unsure' || id === null ? [0, 1] : [1]
    assert.ok(expected.includes(own.length), `${text}: ${own.length} times, end ${end}`)
  }
}

/** What the chat was sent, in order: the text without the mark, and whether it has it. */
const messagesOf = (chat: StatusServer) =>
  chat.asked.map(({ body }) => {
    const content = JSON.parse(body).content as string
    return { text: content.replace(` ${repeated}`, ''), isMarked: content.includes(repeated) }
  })

/** A chat cannot tell a repetition by itself, so it has to be told. */
function checkMessages(chat: StatusServer): void {
  const seen = new Set<string>()
  for (const { text, isMarked } of messagesOf(chat)) {
    assert.ok(isMarked || !seen.has(text), `came again without the mark: ${text}`)
    seen.add(text)
  }
}

for (const store of stores) {
  const title = 'A worker that is killed while jobs run and people act, with its state in'
  describe(`${title} ${store.name}${isShared(store) ? ', while another stands by' : ''}`, { skip: store.skip }, () => {
    test(store)
  })
}

/** Several workers may share a PostgreSQL: one leads, and another takes over from it. */
function isShared({ name }: Store): boolean {
  return name === 'PostgreSQL'
}

async function leads(worker: Process): Promise<Process> {
  await until(async () => (await fetch(`${worker.url}/components`)).ok)
  return worker
}

function test(store: Store): void {
  it(`loses no run, mute, acknowledgement, update or rule that was answered, and doubles no alert: ${kills} kills, seed ${seed}`, {
    timeout: (kills + 4) * 30_000,
  }, async (t) => {
    const random = seededRandom(seed)
    let onMessage = () => {}
    const chat = await StatusServer.open(() => {
      onMessage()
      return { status: 204 }
    })
    const place = await store.make()
    const env = {
      ...place.env,
      STATUS_GROUP_SECONDS: '0',
      STATUS_TARGETS: 'chat',
      STATUS_TARGET_CHAT_KIND: 'discord',
      STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/SECRET0123`,
    }
    let standby: Process | null = null
    /** The one that takes over, or a new start. */
    const nextLeader = async (): Promise<Process> => {
      const worker = await leads(standby ?? (await start(env)))
      standby = isShared(store) ? await start(env) : null
      return worker
    }
    const own = senders()
    const written: Written[] = []
    const rules: Rule[] = []
    let answered = 0
    let cutOff = 0

    const check = async (worker: Process) => {
      for (const [id, sender] of own) await checkComponent(worker, id, sender)
      await checkWritten(worker, written)
      await checkRules(worker, rules)
      checkMessages(chat)
    }

    for (let round = 0; round < kills; round++) {
      const worker = await nextLeader()
      await check(worker)
      // Beyond every number that was tried.
      const tried = [...own.values()].flatMap(({ done }) => done.map((step) => Number(step.split(' ')[1])))
      const first = 2 + Math.max(0, ...tried)
      const onDone = () => void answered++
      const driving = Promise.allSettled([
        ...[...own].map(([id, sender]) => drive(worker, id, sender, first, onDone)),
        write(worker, written, onDone),
        rule(worker, rules, onDone),
      ])
      // After a number of responses, or in the middle of a message: its response never arrives.
      const enough = answered + 5 + Math.floor(random() * 80)
      const isEnough = () => answered >= enough
      if (round % 2 === 0) await until(async () => isEnough())
      else
        await new Promise<void>((resolve) => {
          onMessage = () => isEnough() && resolve()
        })
      await kill(worker)
      onMessage = () => {}
      for (const each of await driving) {
        assert.equal(each.status, 'rejected')
        if (!isCutOff(each.reason)) throw each.reason
        cutOff++
      }
    }

    // Acknowledged while the chat is silent, and killed before it could know who takes the outage.
    const before = await nextLeader()
    await check(before)
    // Those that a kill left muted.
    for (const id of ids) await fetch(`${before.url}/components/${id}/mute`, { method: 'DELETE' })
    const messages = () => messagesOf(chat).map(({ text }) => text)
    for (const id of ids) await call(before, 'POST', `/heartbeat/${id}/0?rid=calm`)
    for (const id of ids) await call(before, 'POST', `/heartbeat/${id}/3?rid=last`, 'the last outage')
    const toldOf = (id: string, text: string) => messages().filter((each) => each.includes(id) && each.includes(text))
    await until(async () => ids.every((id) => toldOf(id, 'the last outage').length > 0))
    await until(async () => {
      const { components } = await call(before, 'GET', '/components')
      return components.every(
        (each: Body) => each.targets[0].publishedStatus === 'outage' && each.targets[0].push === 'idle',
      )
    })
    chat.fault = { kind: 'silent' }
    for (const id of ids) await call(before, 'POST', `/components/${id}/acknowledge`, { by: 'mia' })
    await until(async () => messages().some((text) => text.includes('Acknowledged by mia')))
    await kill(before)
    chat.fault = null
    const last = await nextLeader()
    const isTold = (id: string) =>
      messagesOf(chat).some(({ text }) => text.includes(id) && text.includes('Acknowledged by mia'))
    await until(async () => ids.every(isTold))
    for (const id of ids) await call(last, 'POST', `/heartbeat/${id}/0?rid=over`)
    await until(async () =>
      ids.every((id) =>
        messages()
          .findLast((text) => text.includes(` ${id}`))
          ?.includes('UP'),
      ),
    )
    await checkWritten(last, written)
    checkMessages(chat)
    const marked = messagesOf(chat).filter(({ isMarked }) => isMarked).length
    t.diagnostic(`${answered} answered, ${cutOff} cut off, ${chat.asked.length} messages, ${marked} marked`)
    assert.ok(answered >= 5 * kills && cutOff >= kills && marked > 0)
    for (const worker of [standby, last]) if (worker) await kill(worker)
    await chat.stop()
    await place.drop()
  })
}
