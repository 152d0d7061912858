import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, MenagerieError } from '../../client/src/client.ts'
import { openWorker } from '../status/worker-stage.ts'
import { temporaryFolder } from '../support/folder.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { turns, until } from '../support/until.ts'
import { clientFolder, readmeProgram } from './readme.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)
const bucketName = 'images'

/** What it threw. */
const errorOf = (call: Promise<unknown>): Promise<MenagerieError> =>
  call.then(
    () => assert.fail('it did not throw'),
    (error) => error,
  )

describe('The client, on the real service', () => {
  const folder = temporaryFolder()
  let service: TestService
  let keeper: Client

  before(async () => {
    const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, SAMPLE_IMAGES: 'true', IMAGE_KINDS_EXTRA: 'cat' }
    service = await startService({ env })
  })
  after(async () => {
    await service.close()
    folder.remove()
  })
  beforeEach(async () => {
    keeper = createClient({ url: service.url })
    await keeper.auth.login({ username: 'keeper', password })
  })

  it('does what its README shows', async (t) => {
    const worker = await openWorker()
    const picture = join(folder.path, 'own.png')
    const file = join(folder.path, 'program.mts')
    const url = (path: string) => pathToFileURL(join(clientFolder, path)).href
    const program = readmeProgram({
      'http://localhost:3000': service.url,
      'http://127.0.0.1:3001': worker.url,
      "readFile('mine.png')": `readFile('${picture}')`,
      "'menagerie-client/reporter'": `'${url('../src/reporter/reporter.ts')}'`,
      "'menagerie-client'": `'${url('src/client.ts')}'`,
    })
    writeFileSync(picture, png)
    writeFileSync(file, program)
    const printed: string[] = []
    t.mock.method(console, 'log', (...values: unknown[]) => printed.push(values.join(' ')))
    await import(pathToFileURL(file).href)
    t.mock.restoreAll()
    for (const line of [
      `http://localhost:${service.port}/i/fox/`,
      'images',
      '404 Image not found',
      'bot ',
      `${png.length} ${png.length}`,
    ])
      assert.ok(
        printed.some((each) => each.startsWith(line)),
        `${line}: ${printed.join('\n')}`,
      )
    await until(async () => (await worker.component('bot')).lastReportedStatus === 'operational', 'the first report')
    await worker.close()
  })

  it('names the status, the text and the envelope of every refusal', async () => {
    const { images, admin, auth } = keeper
    const stranger = createClient({ url: `${service.url}/`, token: 'nothing' })
    const errors = await Promise.all([
      errorOf(images.get('fox/missing.png')),
      errorOf(stranger.images.random('fox')),
      errorOf(admin.ban({ username: 'keeper' })),
      errorOf(auth.register({ username: 'KEEPER', password })),
      errorOf(images.random('dragon')),
    ])
    for (const error of errors) assert.ok(error instanceof MenagerieError && error.requestId, String(error))
    assert.deepEqual(
      errors.map(({ status, text, envelope }) => [status, text, envelope]),
      [
        [404, 'Image not found', { status: 404, message: 'Image not found' }],
        [401, 'Invalid or revoked access token', { status: 401, message: 'Invalid or revoked access token' }],
        [400, 'You cannot ban yourself', { status: 400, message: 'You cannot ban yourself' }],
        [409, 'Username already exists', { error: 'Username already exists' }],
        [
          404,
          'Not Found - GET /images/dragon/random',
          { message: 'Not Found - GET /images/dragon/random', stack: 'N/A' },
        ],
      ],
    )
    assert.equal(errors[0]?.message, 'GET /i/fox/missing.png: 404 Image not found')
  })

  it('asks the status worker for administrators, and writes to it', async () => {
    const worker = await openWorker({
      env: { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: 'http://127.0.0.1:1' },
    })
    const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, STATUS_WORKER_URL: worker.url }
    const own = await startService({ env })
    await worker.beat('db')
    const { auth, status } = createClient({ url: own.url, retries: 0 })
    await auth.login({ username: 'keeper', password })
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const { maintenance } = await status.maintenance.announce({ components: ['db'], until: inAnHour })
    const { announcement } = await status.announcements.announce({ text: 'New disks' })
    assert.deepEqual(await Array.fromAsync(status.maintenance.list({ state: 'active' })), [maintenance])
    assert.deepEqual((await status.announcements.list()).announcements, [announcement])
    const often = { components: ['db'], schedule: '@daily', durationSeconds: 600 }
    const { recurring } = await status.maintenance.recurring.announce(often)
    assert.deepEqual((await status.maintenance.recurring.list()).recurring, [recurring])
    assert.deepEqual((await status.maintenance.recurring.end(recurring.id)).recurring.windows, [])
    assert.equal((await status.maintenance.end(maintenance.id)).maintenance.state, 'over')
    assert.equal((await status.announcements.end(announcement.id)).announcement.state, 'over')
    assert.equal((await status.testTarget('default')).test.reason, 'not sent: ECONNREFUSED')
    assert.equal((await status.targets()).targets[0]?.lastTest?.outcome, 'failed')
    const slow = { title: 'Slow', level: 'degraded', text: 'We look into it' } as const
    const { incident } = await status.openIncident(slow)
    const written = await status.updateIncident(incident.id, { stage: 'resolved', text: 'Over' })
    assert.deepEqual(await Array.fromAsync(status.writtenIncidents()), [written.incident])
    assert.deepEqual((await status.deleteIncident(incident.id)).incident, written.incident)
    assert.equal((await errorOf(status.deleteIncident(incident.id))).text, 'Unknown incident')
    const changed = await status.change('db', { schedule: '0 3 * * *', maxRunSeconds: 60 })
    assert.deepEqual([changed.component.schedule, changed.component.tz], ['0 3 * * *', 'UTC'])
    assert.equal((await status.runs('db')).maxRunSeconds, 60)
    assert.equal((await status.mute('db', { until: inAnHour })).mute?.by, 'keeper')
    assert.equal((await status.unmute('db')).mute, null)
    assert.equal((await errorOf(status.acknowledge('db'))).text, 'Component is not down')
    assert.equal((await status.retire('db', { publish: 'nothing' })).componentId, 'db')
    assert.equal((await errorOf(status.retire('db'))).text, 'Unknown component')
    assert.ok((await status.components()).components.every(({ componentId }) => componentId !== 'db'))
    for await (const { id } of status.incidents({ open: 'true' })) assert.fail(id)
    assert.deepEqual((await status.page()).components, [])
    assert.equal((await status.diag()).config.kind, 'native')
    await own.close()
    await worker.close()
  })

  it('keeps the token of a login, and forgets it after a logout', async () => {
    const { auth, token } = keeper
    assert.match(token ?? '', /^Bearer /)
    const other = createClient({ url: service.url, token: token?.replace('Bearer ', '') })
    assert.equal((await other.auth.me()).user.username, 'keeper')
    await auth.logout()
    assert.equal(keeper.token, undefined)
    assert.equal((await errorOf(auth.me())).text, 'Access token is required')
    assert.equal((await errorOf(other.auth.me())).status, 401)
  })

  it('iterates over the items of all pages, and stops asking when the caller stops', async () => {
    let requests = 0
    const counting: typeof fetch = (...args) => {
      requests++
      return fetch(...args)
    }
    const { images, admin } = createClient({ url: service.url, token: keeper.token, fetch: counting })
    const names = []
    for await (const { name } of images.list('fox', { limit: 1 })) names.push(name)
    assert.equal(new Set(names).size, requests)
    assert.ok(requests > 1)
    requests = 0
    for await (const _ of images.list('fox', { limit: 1 })) break
    assert.equal(requests, 1)
    for (const name of ['cara', 'carb', 'carc']) await admin.createUser({ username: name, password, role: 'user' })
    const found = []
    for await (const { user } of admin.users({ q: 'car', limit: 2, sort: 'username' })) found.push(user.username)
    assert.deepEqual(found, ['cara', 'carb', 'carc'])
    await assert.rejects(Array.fromAsync(admin.users({ ids: [] })), { message: 'ids must not be empty' })
    for await (const { summary, users } of admin.dashboard({ q: 'car' }).pages())
      assert.deepEqual([users.length, summary.totalUsers >= 4], [3, true])
  })

  it('accepts custom kinds, several kinds, and a count', async () => {
    const { images, store } = keeper
    await store.upload({ bucketName, objectName: 'cat/a-b.png' }, png, { contentType: 'image/png' })
    assert.equal((await images.random('cat')).name, 'cat/a-b.png')
    assert.deepEqual(await (await images.get('cat/a-b.png')).bytes(), new Uint8Array(png))
    assert.equal((await images.head('cat/a-b.png'))?.size, png.length)
    assert.equal((await images.randomBytes('cat')).type, 'image/png')
    assert.equal((await images.random(['fox', 'cat'], { count: 2 })).length, 2)
    assert.ok((await images.random()).url)
    assert.ok((await images.kinds()).kinds.some(({ kind }) => kind === 'cat'))
    await store.delete({ bucketName, objectName: 'cat/a-b.png' })
    assert.equal((await errorOf(images.get('cat/a-b.png'))).status, 404)
    assert.equal(await images.head('cat/a-b.png'), null)
    for (const name of ['', 'fox', 'fox/..', '../x']) {
      const { message, status } = await errorOf(images.get(name))
      assert.match(`${status} ${message}`, /^0 GET \/i\/\{folder\}\/\{filename\}: (folder|filename) must not be '/)
    }
  })

  it('creates, lists and revokes embed links and keys, and takes a report through the queue', async () => {
    const { auth, images, admin } = keeper
    const { id, url } = await auth.embed.create({ kinds: ['fox', 'bird'] })
    assert.match((await fetch(url)).headers.get('content-type') ?? '', /^image\//)
    assert.deepEqual(
      (await auth.embed.list()).links.map((link) => link.id),
      [id],
    )
    await auth.embed.revoke(id)
    const made = await auth.keys.create({ name: 'frame', scopes: ['images'] })
    const { key } = await auth.keys.rotate(made.id, { graceSeconds: 0 })
    assert.ok((await createClient({ url: service.url, token: key }).images.random('fox')).url)
    assert.equal((await errorOf(createClient({ url: service.url, token: made.key }).images.random('fox'))).status, 401)
    await auth.keys.revoke(made.id)
    const { name } = await images.random('fox')
    await admin.describeImage(name, { alt: 'A fox', tags: ['red'] })
    const { alt, tags } = await images.describe(name)
    assert.deepEqual([alt, tags], ['A fox', ['red']])
    assert.equal((await images.random('fox', { tags: ['red'], without: ['drawing', 'night'] })).name, name)
    assert.equal((await errorOf(images.random(['fox'], { without: ['night', 'red'], tags: 'red' }))).status, 404)
    assert.deepEqual(await Array.fromAsync(images.tags({ kinds: ['fox', 'bird'] })), [{ tag: 'red', count: 1 }])
    assert.deepEqual((await Array.fromAsync(images.list('fox', { tags: ['red'] }))).length, 1)
    const { type } = await images.get(name, { w: 160, format: 'webp' })
    assert.equal(type, 'image/webp')
    await images.report({ name, reason: 'Not a fox' })
    for await (const report of admin.reports()) await admin.resolveReport(report.id, { action: 'hide' })
    assert.equal((await errorOf(images.get(name))).text, 'Image not found')
    await admin.unhide({ name })
    assert.equal((await images.get(name)).type, 'image/png')
  })

  it('uploads a Blob, bytes and a stream, with or without progress', async () => {
    const bytes = new Uint8Array(300_000).fill(7)
    const bodies = { blob: new Blob([bytes], { type: 'image/png' }), bytes, buffer: bytes.buffer }
    for (const [name, body] of Object.entries({ ...bodies, stream: () => new Blob([bytes]).stream() }))
      for (const isWatched of [true, false]) {
        const seen: { sent: number; total: number | undefined }[] = []
        const to = { bucketName, objectName: `bird/${name}-${isWatched}.png` }
        const { duplicateOf } = await keeper.store.upload(to, typeof body === 'function' ? body() : body, {
          ...(name !== 'blob' && { contentType: 'image/png' }),
          ...(isWatched && { onProgress: (progress) => seen.push(progress) }),
        })
        assert.equal(duplicateOf === null, to.objectName === 'bird/blob-true.png')
        const { size, type } = await keeper.images.get(to.objectName)
        assert.deepEqual([size, type], [bytes.length, 'image/png'])
        if (isWatched) assert.deepEqual(seen.at(-1), { sent: size, total: name === 'stream' ? undefined : size }, name)
        assert.deepEqual(
          seen.map(({ sent }) => sent),
          seen.map(({ sent }) => sent).sort((one, other) => one - other),
        )
      }
    const [group] = await Array.fromAsync(keeper.admin.duplicates({ limit: 1 }))
    assert.deepEqual([group?.count, group?.size], [8, bytes.length])
  })

  it('reports the refusal of an upload, even of a stream', async () => {
    const body = () => new Blob([new Uint8Array(3_000_000)], { type: 'image/png' })
    const to = { bucketName, objectName: 'fox/refused.png' }
    const stranger = createClient({ url: service.url, token: 'nothing' })
    const ofStream = errorOf(stranger.store.upload(to, body().slice(0, 300_000).stream(), { contentType: 'image/png' }))
    const watched = errorOf(stranger.store.upload(to, body(), { onProgress() {} }))
    const ofType = errorOf(keeper.store.upload(to, body(), { contentType: 'text/plain', onProgress() {} }))
    assert.deepEqual(
      (await Promise.all([ofStream, watched, ofType])).map(({ status, text }) => [status, text]),
      [
        [401, 'Invalid or revoked access token'],
        [401, 'Invalid or revoked access token'],
        [400, 'Content-Type must be an image/* mime type'],
      ],
    )
  })

  it('aborts an upload when its signal aborts', async () => {
    const abort = new AbortController()
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await turns(1)
        controller.enqueue(new Uint8Array(10_000))
      },
    })
    const upload = keeper.store.upload({ bucketName, objectName: 'fox/endless.png' }, endless, {
      contentType: 'image/png',
      signal: abort.signal,
      onProgress: ({ sent }) => sent > 100_000 && abort.abort('enough'),
    })
    await assert.rejects(upload, (reason) => reason === 'enough')
    assert.equal((await errorOf(keeper.images.get('fox/endless.png'))).status, 404)
  })
})
