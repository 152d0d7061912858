import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { writeTypes } from '../../client/write-types.ts'
import { launchBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { temporaryFolder } from '../support/folder.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { clientFolder } from './readme.ts'

/** A page of another origin that can import the compiled client. */
async function startPage(): Promise<Server> {
  const folder = temporaryFolder()
  await writeTypes()
  const compiler = join(clientFolder, '../node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [compiler, '--project', clientFolder, '--outDir', folder.path])
  const names = globSync('*.js', { cwd: folder.path })
  const modules = new Map(names.map((name) => [`/${name}`, readFileSync(join(folder.path, name))]))
  folder.remove()
  const server = createServer(({ url = '' }, response) => {
    const code = modules.get(url)
    response
      .setHeader('Content-Type', code === undefined ? 'text/html' : 'text/javascript')
      .end(code ?? '<!doctype html>')
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

describe('The client in a browser, on a page of another origin', { skip: noBrowserUnlessFull }, () => {
  let server: Server
  let service: TestService
  let page: Page

  before(async () => {
    server = await startPage()
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, SAMPLE_IMAGES: 'true', CORS_ORIGINS: origin }
    service = await startService({ env })
    page = await (await launchBrowser()).newPage()
    await page.goto(origin)
  })

  after(() => server?.close())

  /** Runs the code in the page, with `keeper` signed in, and returns its result. */
  const inPage = <T>(code: string): Promise<T> =>
    page.evaluate(`(async () => {
      const { createClient, MenagerieError } = await import('/client.js')
      const keeper = createClient({ url: '${service.url}' })
      await keeper.auth.login({ username: 'keeper', password: '${password}' })
      const to = { bucketName: 'images', objectName: 'fox/page.png' }
      const picture = new Blob([new Uint8Array(2_000_000)], { type: 'image/png' })
      ${code}
    })()`)

  it('signs in, chooses, lists and reads images', async () => {
    const found = await inPage(`const { name } = await keeper.images.random('fox')
      const names = []
      for await (const { name } of keeper.images.list('fox', { limit: 1 })) names.push(name)
      const { type } = await keeper.images.get(name)
      return [names.includes(name), names.length, type, (await keeper.images.randomBytes(['fox', 'bird'])).type]`)
    assert.deepEqual(found, [true, 4, 'image/png', 'image/png'])
  })

  it('uploads and deletes with conditions, and with progress from 0 to the full size', async () => {
    const found = await inPage(`const seen = []
      const options = { ifAbsent: true, onProgress: (each) => seen.push(each) }
      const { objectName, etag } = await keeper.store.upload(to, picture, options)
      await keeper.store.delete(to, { ifMatch: etag })
      return [objectName, seen.at(-1), seen.every(({ sent, total }) => sent <= total)]`)
    assert.deepEqual(found, ['fox/page.png', { sent: 2_000_000, total: 2_000_000 }, true])
  })

  it('reports refusals with the id of the request, even of an upload with progress', async () => {
    const found = await inPage(`const watch = { contentType: 'text/plain', onProgress() {} }
      const errors = [keeper.admin.ban({ username: 'keeper' }), keeper.store.upload(to, new Blob(['a']), watch)]
      return Promise.all(errors.map((each) => each.catch((error) =>
        [error instanceof MenagerieError, error.status, error.text, typeof error.requestId])))`)
    assert.deepEqual(found, [
      [true, 400, 'You cannot ban yourself', 'string'],
      [true, 400, 'Content-Type must be an image/* mime type', 'string'],
    ])
  })

  it('aborts a request and an upload by their signal', async () => {
    const found = await inPage(`const abort = new AbortController()
      const onProgress = () => abort.abort('enough')
      const upload = keeper.store.upload(to, picture, { signal: abort.signal, onProgress })
      const choice = keeper.images.random('fox', { signal: AbortSignal.abort('before') })
      return Promise.all([upload, choice].map((each) => each.catch((reason) => reason)))`)
    assert.deepEqual(found, ['enough', 'before'])
  })

  it('reports an unreachable service with status 0', async () => {
    const found = await inPage(`const away = createClient({ url: 'http://127.0.0.1:9', retries: 0 })
      const upload = away.store.upload(to, picture, { onProgress() {} })
      return Promise.all([away.images.kinds(), upload].map((each) => each.catch(({ name, status }) => [name, status])))`)
    assert.deepEqual(found, [
      ['MenagerieError', 0],
      ['MenagerieError', 0],
    ])
  })
})
