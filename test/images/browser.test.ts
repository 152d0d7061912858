import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { withImages } from './admin-stage.ts'

/** One red point. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)

interface Trap {
  readonly type: string
  readonly bytes: string
}

/** What stored bytes try. `report` is a script that announces in every possible way that it runs. */
function trapsOf(canary: string): Record<string, Trap> {
  const report = `try { top.postMessage('ran', '*') } catch {} try { postMessage('ran') } catch {}
try { fetch('${canary}/ran?' + self.origin, { mode: 'no-cors', keepalive: true }) } catch {}
try { document.title = 'ran'; new Image().src = '${canary}/ran?image' } catch {} try { alert('ran') } catch {}`
  const inMarkup = `<script><![CDATA[${report}]]></script>`
  const body = `<script>${report}</script><img src="x" onerror="${report.replaceAll('"', '&quot;')}"/>
<script src="${canary}/script"></script><link rel="stylesheet" href="${canary}/style"/><img src="${canary}/image"/>
<iframe src="${canary}/frame"></iframe><iframe src="javascript:top.postMessage('ran','*')"></iframe>`
  const html = `<!doctype html><html><head><meta http-equiv="refresh" content="0;url=${canary}/refresh"/></head><body>${body}</body></html>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="top.postMessage('ran','*')">${inMarkup}<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="${canary}/image"/></body></foreignObject></svg>`
  const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head>${inMarkup}</head><body><img src="${canary}/image"/></body></html>`
  const xsl = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body>${inMarkup}</body></html></xsl:template></xsl:stylesheet>`
  return {
    'page.html': { type: 'text/html', bytes: html },
    'script.js': { type: 'text/javascript', bytes: report },
    'page.xhtml': { type: 'application/xhtml+xml', bytes: xhtml },
    'picture.svg': { type: 'image/svg+xml', bytes: svg },
    'style.xsl': { type: 'text/xsl', bytes: xsl },
    'data.xml': {
      type: 'application/xml',
      bytes: `<?xml-stylesheet type="text/xsl" href="style.xsl"?><a>${inMarkup}</a>`,
    },
    'no-picture.png': { type: 'image/png', bytes: html },
    'script.png': { type: 'image/png', bytes: report },
    'bare-page': { type: 'application/octet-stream', bytes: html },
    'bare-script': { type: 'binary/octet-stream', bytes: report },
    'parts.bin': {
      type: 'multipart/x-mixed-replace; boundary=x',
      bytes: `--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--\r\n`,
    },
    'odd.html': { type: 'image/png, text/html', bytes: html },
  }
}

/** Everything that a page of somebody else can do with an address. Its title is `done` at the end. */
const embedding = (
  addresses: readonly string[],
  withScripts: boolean,
) => `<!doctype html><title>embedding</title><script>
const heard = []
addEventListener('message', ({ data }) => heard.push(data))
addEventListener('load', async () => {
  for (const address of ${JSON.stringify(addresses)}) {
    await new Promise((done) => {
      try {
        const worker = new Worker(address)
        worker.onerror = done
        worker.onmessage = ({ data }) => done(heard.push(data))
      } catch { done() }
    })
    await navigator.serviceWorker?.register(address).catch(() => {})
  }
  document.title = 'done'
})
</script>
${addresses
  .map(
    (address) => `<iframe src="${address}"></iframe><object data="${address}"></object><embed src="${address}">
<img src="${address}"><link rel="stylesheet" href="${address}"><video src="${address}"></video>
${withScripts ? `<script src="${address}"></script><script type="module" src="${address}"></script>` : ''}`,
  )
  .join('')}`

async function serve(answer: (url: string, req: IncomingMessage) => { type: string; body: string | Buffer }) {
  const server: Server = createServer((req, res) => {
    const { type, body } = answer(req.url ?? '', req)
    res.writeHead(200, { 'Content-Type': type, Connection: 'close' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

for (const objects of objectStores) {
  // test/images/served.test.ts shows the headers that hold them.
  describe(`Stored bytes in a browser, ${objects.name}`, { skip: noBrowserUnlessFull || objects.skip }, () => {
    const { stage, place, upload } = withImages(objects)
    const reached: string[] = []
    const open: Server[] = []
    let traps: Record<string, Trap>
    let browser: Browser
    let elsewhere: string

    before(async () => {
      const canary = await serve((url) => {
        if (url !== '/favicon.ico') reached.push(url)
        return { type: 'text/plain', body: '' }
      })
      traps = trapsOf(canary.url)
      const pages = await serve((url) => {
        const { pathname, searchParams } = new URL(url, 'http://pages')
        if (pathname === '/embedding' || pathname === '/framing')
          return { type: 'text/html', body: embedding(searchParams.getAll('address'), pathname === '/embedding') }
        const { type, bytes } = traps[pathname.slice(1)] ?? { type: 'text/html', bytes: '<title>elsewhere</title>' }
        return { type, body: bytes }
      })
      elsewhere = pages.url
      open.push(canary.server, pages.server)
      const put = putInto(place.store, place.bucket)
      for (const [name, { type, bytes }] of Object.entries(traps))
        await put(`fox/${name}`, Buffer.from(bytes), { type })
      await upload('fox/real.png', png)
      browser = await launchBrowser()
    })
    after(() => {
      for (const server of open) server.close()
    })
    beforeEach(() => {
      reached.length = 0
    })

    /** A page in a browser of its own, and what it let happen. */
    const visit = async (act: (page: Page, context: BrowserContext) => Promise<void>): Promise<string[]> => {
      const context = await browser.newContext({ acceptDownloads: false })
      context.setDefaultTimeout(30_000)
      const page = await context.newPage()
      const seen: string[] = []
      context.on('dialog', async (dialog) => {
        seen.push(`dialog: ${dialog.message()}`)
        await dialog.dismiss()
      })
      await act(page, context)
      await context.close()
      return [...seen, ...reached.splice(0)]
    }

    /** Opens each as a document of its own. A download opens none. */
    const asDocuments = (addresses: readonly string[]) =>
      visit(async (page) => {
        for (const address of addresses) {
          const refused = await page.goto(address).then(
            () => null,
            (error: Error) => error.message,
          )
          if (refused !== null) assert.match(refused, /Download is starting|net::ERR_/)
          else assert.notEqual(await page.title(), 'ran', address)
          await page.goto(elsewhere)
        }
      })

    /** In the page of another origin; `how` is with scripts of those addresses or without. */
    const embedded = async (addresses: readonly string[], how: 'embedding' | 'framing' = 'embedding') => {
      let heard: string[] = []
      const seen = await visit(async (page) => {
        await page.goto(`${elsewhere}/${how}?${new URLSearchParams(addresses.map((address) => ['address', address]))}`)
        await page.waitForFunction("document.title === 'done'")
        heard = await page.evaluate<string[]>('heard')
        await page.goto(elsewhere)
      })
      return [...heard, ...seen]
    }

    const names = Object.keys(trapsOf(''))
    const addressesOf = (kind: string) => names.map((name) => `${stage.service.url}/i/${kind}/${name}`)

    it('run where nothing restricts them, so these tests can fail', async () => {
      for (const name of ['page.html', 'picture.svg', 'page.xhtml', 'script.js'])
        assert.ok((await embedded([`${elsewhere}/${name}`])).includes('ran'), name)
    })

    it('run in no document', async () => {
      assert.deepEqual(await asDocuments(addressesOf('fox')), [])
    })

    for (const how of ['embedding', 'framing'] as const)
      it(`do not run in a frame, an object, a worker, a style or a script of another page: ${how}`, async () => {
        // A script by type: a page that loads it runs it with its own origin, like any other script.
        const others = addressesOf('fox').filter((address) => how === 'framing' || !address.endsWith('/script.js'))
        assert.deepEqual(await embedded(others, how), [])
      })

    it('that are a script by type run only in a page that loads them, and with its origin', async () => {
      const seen = await embedded([`${stage.service.url}/i/fox/script.js`])
      const origins = seen.filter((each) => each.startsWith('/ran?http')).map((each) => each.slice(5))
      assert.deepEqual([...new Set(origins)], [elsewhere])
    })

    it('are no script, frame, worker or style of the pages of the service itself, and leave them unchanged', async () => {
      const seen = await visit(async (page) => {
        await page.goto(`${stage.service.url}/docs`)
        const heard = await page.evaluate<string[]>(`(async () => {
          const heard = []
          addEventListener('message', ({ data }) => heard.push(data))
          const settled = (element) => new Promise((done) => {
            element.onload = element.onerror = done
            document.body.append(element)
          })
          const make = async (tag, fields) => {
            // Trusted Types refuse the address of a script.
            try { await settled(Object.assign(document.createElement(tag), fields)) } catch {}
          }
          for (const address of ${JSON.stringify(addressesOf('fox'))}) {
            // It may turn into a download, which the page cannot notice.
            make('iframe', { src: address })
            await make('script', { src: address })
            await make('script', { src: address, type: 'module' })
            await make('link', { href: address, rel: 'stylesheet' })
            await new Promise((done) => {
              try {
                const worker = new Worker(address)
                worker.onerror = done
                worker.onmessage = ({ data }) => done(heard.push(data))
              } catch { done() }
            })
            await navigator.serviceWorker?.register(address).then(() => heard.push('registered'), () => {})
          }
          return heard
        })()`)
        assert.deepEqual(heard, [])
        assert.notEqual(await page.title(), 'ran')
        await page.goto(`${stage.service.url}/docs`)
        assert.equal(await page.getByRole('main').count(), 1)
        assert.match(await page.title(), /Menagerie/)
      })
      assert.deepEqual(seen, [])
    })

    it('that are an image can be shown on any page and read by its scripts', async () => {
      const seen = await visit(async (page) => {
        await page.goto(elsewhere)
        const found = await page.evaluate<object>(`(async () => {
          const address = '${stage.service.url}/i/fox/real.png'
          const load = (fields) => new Promise((resolve, reject) => {
            const image = Object.assign(new Image(), fields, { onload: () => resolve(image), onerror: reject })
            image.src = address
          })
          const plain = await load({})
          const shared = await load({ crossOrigin: 'anonymous' })
          const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
          const context = canvas.getContext('2d')
          context.drawImage(shared, 0, 0)
          const point = [...context.getImageData(0, 0, 1, 1).data]
          const reply = await fetch(address)
          const bytes = [...new Uint8Array(await reply.arrayBuffer())]
          return { width: plain.naturalWidth, point, status: reply.status, bytes }
        })()`)
        assert.deepEqual(found, { width: 1, point: [255, 0, 0, 255], status: 200, bytes: [...png] })
        await page.goto(`${stage.service.url}/i/fox/real.png`)
        assert.equal(await page.evaluate("document.querySelector('img').naturalWidth"), 1)
      })
      assert.deepEqual(seen, [])
    })

    if (objects.name !== 'the folder') return
    it('that were put into the folder by hand do not run either', async () => {
      mkdirSync(join(place.folder, 'objects', place.bucket, 'hug'), { recursive: true })
      for (const [name, { bytes }] of Object.entries(traps))
        writeFileSync(join(place.folder, 'objects', place.bucket, 'hug', name), bytes)
      const addresses = addressesOf('hug')
      for (const address of addresses) assert.equal((await fetch(address)).status, 200)
      assert.deepEqual(await asDocuments(addresses), [])
      assert.deepEqual(await embedded(addresses), [])
    })
  })
}
