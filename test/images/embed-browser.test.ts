import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import markdown from 'markdown-it'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { folder } from '../support/object-stores.ts'
import { withImages } from './image-stage.ts'

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const numbers = [data.length, crc32(body)].map((number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(number)
    return bytes
  })
  return Buffer.concat([numbers[0] as Buffer, body, numbers[1] as Buffer])
}

/** A PNG of one point. */
const point = (...color: readonly [number, number, number]) =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    chunk('IDAT', deflateSync(Buffer.from([0, ...color]))),
    chunk('IEND', Buffer.alloc(0)),
  ])

const colors: Record<string, readonly [number, number, number]> = { red: [255, 0, 0], blue: [0, 0, 255] }

/** In a page, as text: the colour in the middle of an image. */
const colorOf = (url: string) => `(async () => {
  const image = Object.assign(new Image(), { src: ${JSON.stringify(url)} })
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  return [...context.getImageData(image.width >> 1, image.height >> 1, 1, 1).data].slice(0, 3)
})()`

// test/images/embed.test.ts shows the headers that it obeys.
describe('An embed link in a browser, on a page of another origin', { skip: noBrowserUnlessFull }, () => {
  const stage = withImages(folder)
  let page: Page
  let url: string
  let content = ''
  const elsewhere = createServer((_, res) => {
    res.writeHead(200, { 'Content-Type': 'text/html', Connection: 'close' }).end(`<!doctype html>${content}`)
  })
  before(async () => {
    for (const [name, color] of Object.entries(colors)) await stage.upload(`fox/${name}.png`, point(...color))
    const { service, ownerToken: token } = stage
    const reply = await service.request('POST', '/auth/embed', { token, body: { kind: 'fox' } })
    url = service.url + new URL(reply.body.url).pathname
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    const browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 200, height: 200 } })
    context.setDefaultTimeout(30_000)
    page = await context.newPage()
  })
  after(() => elsewhere.close())

  /** What the element shows on each reload of the page, until both images were shown. */
  const shown = async (body: string, selector: string): Promise<string[]> => {
    content = body
    const found = new Set<string>()
    for (let left = 60; left > 0 && found.size < 2; left--) {
      await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`, { waitUntil: 'load' })
      const seen = (await page.locator(selector).screenshot()).toString('base64')
      found.add(String(await page.evaluate(colorOf(`data:image/png;base64,${seen}`))))
    }
    return [...found].sort()
  }
  const both = Object.values(colors).map(String).sort()
  const size = 'display: block; width: 20px; height: 20px'

  it('is a new image in an <img> each time', async () => {
    assert.deepEqual(await shown(`<img style="${size}" src="${url}">`, 'img'), both)
  })

  it('is a new image in a CSS background each time', async () => {
    assert.deepEqual(await shown(`<style>p { background: url(${url}); ${size} }</style><p></p>`, 'p'), both)
  })

  it('is a new image where Markdown embeds it, also with as=redirect', async () => {
    for (const address of [url, `${url}?as=redirect`]) {
      const html = markdown().render(`# Hello\n\n![a fox](${address} "another fox each time")`)
      assert.deepEqual(await shown(`<style>img { ${size} }</style>${html}`, 'img'), both)
    }
  })

  it('has the caption of the image that is shown, by the example of the guide', async () => {
    const { service, ownerToken: token } = stage
    for (const color of Object.keys(colors))
      await service.request('PATCH', `/admin/images/fox/${color}.png`, {
        token,
        body: { alt: `${color} fox`, artist: 'Ada' },
      })
    const guide = readFileSync(join(import.meta.dirname, '../../docs/keys-and-links.md'), 'utf8')
    const [, example = ''] = /^```html\n(.*?)^```$/ms.exec(guide) ?? []
    assert.ok(example.includes('http://localhost:3000/e/<token>'))
    content = `<style>#fox { ${size} }</style>${example.replace('http://localhost:3000/e/<token>', url)}`
    const seen = new Set<string>()
    for (let left = 60; left > 0 && seen.size < 2; left--) {
      await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`)
      const caption = await page.locator('#caption:not(:empty)').textContent()
      await page.evaluate(`document.querySelector('#fox').decode()`)
      const bytes = (await page.locator('#fox').screenshot()).toString('base64')
      const color = String(await page.evaluate(colorOf(`data:image/png;base64,${bytes}`)))
      const [name = ''] = Object.entries(colors).find(([, each]) => String(each) === color) ?? []
      assert.equal(caption, `${name} fox, by Ada`)
      assert.equal(await page.locator('#fox').getAttribute('alt'), `${name} fox`)
      seen.add(name)
    }
    assert.deepEqual([...seen].sort(), Object.keys(colors).sort())
  })

  it('is readable by a script, and shows nothing once it is revoked', async () => {
    content = '<title>elsewhere</title>'
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`)
    const status = `fetch(${JSON.stringify(url)}, { cache: 'force-cache' }).then((reply) => reply.status)`
    assert.equal(await page.evaluate(status), 200)
    const { service, ownerToken: token } = stage
    const { links } = (await service.request('GET', '/auth/embed', { token })).body
    assert.equal((await service.request('DELETE', `/auth/embed/${links[0].id}`, { token })).status, 200)
    assert.equal(await page.evaluate(status), 404)
    await assert.rejects(page.evaluate(colorOf(url)))
  })
})
