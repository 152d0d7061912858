import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { temporaryFolder } from '../support/folder.ts'
import { rawRequest } from '../support/raw-request.ts'
import { startService } from '../support/service.ts'

const filesOf = (page: string) =>
  [...page.matchAll(/(?:src|href)="\.\/(console\/[^"]+)"/g)].map(([, path]) => `/${path}`)

describe('The console over HTTP', () => {
  it('is a page whose policy allows its own files and one nonce per response', async () => {
    const service = await startService()
    const pages = await Promise.all([1, 2].map(() => service.request('GET', '/console')))
    const nonces = pages.map(({ status, headers, text }) => {
      assert.equal(status, 200)
      const policy = String(headers.get('content-security-policy'))
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ])
        assert.ok(policy.split('; ').includes(directive), directive)
      assert.doesNotMatch(policy, /unsafe|\*/)
      const [, nonce = ''] = /style-src 'self' 'nonce-([\w+/=]+)'/.exec(policy) ?? []
      assert.ok(text.includes(`nonce="${nonce}"`))
      return nonce
    })
    assert.notEqual(nonces[0], nonces[1])
    await service.close()
  })

  it('is found, as the reference and the status page are, by an address that somebody typed', async () => {
    const service = await startService()
    const html = { accept: 'text/html,*/*;q=0.8' }
    const ask = (path: string, headers = html) => fetch(service.url + path, { headers, redirect: 'manual' })
    for (const page of ['/console', '/docs', '/status']) {
      const led = await ask(`${page}/`)
      const to = new URL(String(led.headers.get('location')), `${service.url}${page}/`)
      assert.deepEqual([led.status, to.pathname], [308, page])
      // Below a path that a proxy adds, too.
      assert.equal(new URL(String(led.headers.get('location')), `https://a.example/x${page}/`).pathname, `/x${page}`)
      assert.equal((await fetch(to, { headers: html })).status, 200)
      assert.equal((await ask(`${page}/`, { accept: '*/*' })).status, 404)
    }
    const users = await ask('/console/users')
    assert.deepEqual([users.status, users.headers.get('location')], [302, '../console#/users'])
    const hostile = await ask('/console/%0d%0aX-Own:%20%2F..')
    assert.deepEqual([hostile.status, hostile.headers.get('x-own')], [404, null])
    const odd = await ask('/console/%0d%0a%22')
    assert.deepEqual([odd.status, odd.headers.get('location')], [302, '../console#/%0D%0A%22'])
    assert.equal((await ask('/console/users', { accept: '*/*' })).status, 404)
    assert.equal((await ask('/console/gone.js')).status, 404)
    await service.close()
    const without = await startService({ env: { CONSOLE: 'false' } })
    assert.equal((await fetch(`${without.url}/console/`, { headers: html })).status, 404)
    await without.close()
  })

  it('is written in the theme of its cookie, and in no other than those that it has', async () => {
    const service = await startService()
    for (const [cookie, theme] of [
      ['', 'system'],
      ['a=b; menagerie_theme=dark; c=d', 'dark'],
      ['menagerie_theme=light', 'light'],
      ['menagerie_theme="><b>', 'system'],
      ['not_menagerie_theme=dark', 'system'],
    ] as const) {
      const { body } = await rawRequest(`${service.url}/console`, { headers: { cookie } })
      assert.ok(String(body).includes(`<html lang="en" data-theme="${theme}">`), cookie)
    }
    await service.close()
  })

  it('carries SITE_NAME as text, whatever its characters', async () => {
    const service = await startService({ env: { SITE_NAME: `a"<b> & '$&` } })
    const { text } = await service.request('GET', '/console')
    assert.ok(text.includes('<meta name="site" content="a&quot;&lt;b&gt; &amp; &#39;$&amp;">'), text)
    assert.ok(/<title>a["&quot;]+&lt;b&gt; &amp; ['&#39;]+\$&amp;<\/title>/.test(text), text)
    await service.close()
  })

  it('has the logo of SITE_LOGO beside its name, or the icon of the service, and can be revalidated', async (t) => {
    const folder = temporaryFolder()
    t.after(folder.remove)
    const logo = join(folder.path, 'logo.webp')
    const webp = await sharp({ create: { width: 32, height: 32, channels: 3, background: 'teal' } })
      .webp()
      .toBuffer()
    writeFileSync(logo, webp)
    for (const [env, type] of [
      [{ SITE_LOGO: logo }, 'image/webp'],
      [{}, 'image/svg+xml'],
    ] as const) {
      const service = await startService({ env })
      assert.match((await service.request('GET', '/console')).text, /<link rel="icon" href="console\/logo" ?>/)
      const image = await rawRequest(`${service.url}/console/logo`, {})
      assert.equal(image.headers['content-type'], type)
      if (type === 'image/webp') assert.deepEqual(image.body, webp)
      const headers = { 'if-none-match': String(image.headers.etag) }
      assert.equal((await rawRequest(`${service.url}/console/logo`, { headers })).status, 304)
      await service.close()
    }
    writeFileSync(logo, '<svg onload="alert(1)"/>')
    const message = `SITE_LOGO: expected a PNG or WebP file of at most 256 KiB, got a file of another format: ${JSON.stringify(logo)}`
    await assert.rejects(startService({ env: { SITE_LOGO: logo } }), { message })
  })

  it('carries the rule for new passwords in the words of its refusal', async () => {
    const service = await startService({ env: { PASSWORD_MIN_LENGTH: '12' } })
    const { text } = await service.request('GET', '/console')
    const refused = await service.request('POST', '/auth/register', { body: { username: 'alice', password: 'short' } })
    assert.match(refused.body.error, /at least 12 characters/)
    assert.ok(text.includes(`<meta name="password-rule" content="${refused.body.error}">`), text)
    await service.close()
  })

  it('has files that are compressed, immutable, and can be revalidated', async () => {
    const service = await startService()
    const files = filesOf((await service.request('GET', '/console')).text)
    assert.ok(files.length >= 2)
    for (const path of files) {
      const plain = await rawRequest(`${service.url}${path}`, {})
      const coded = await rawRequest(`${service.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.deepEqual(gunzipSync(coded.body), plain.body)
      assert.match(String(plain.headers['content-type']), path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/)
      assert.match(String(plain.headers['cache-control']), /immutable/)
      const again = await rawRequest(`${service.url}${path}`, {
        headers: { 'if-none-match': String(plain.headers.etag) },
      })
      assert.equal(again.status, 304)
    }
    await service.close()
  })

  it('serves no other file, whatever the name', async () => {
    const service = await startService()
    for (const name of [
      'x.js',
      'index.html',
      '..%2findex.html',
      '%2e%2e%2findex.html',
      'a%00.js',
      '__proto__',
      'x.js%2f..',
    ]) {
      const { status } = await rawRequest(`${service.url}/console/${name}`, {})
      assert.equal(status, 404, name)
    }
    await service.close()
  })

  it('says how to install it if it is not built', async () => {
    const service = await startService({ overrides: { consoleFolder: import.meta.dirname } })
    const { status, body } = await service.request('GET', '/console')
    assert.equal(status, 404)
    assert.match(body.message, /npm install/)
    await service.close()
  })

  it('is removed by CONSOLE=false, from the reference as well', async () => {
    const service = await startService({ env: { CONSOLE: 'false' } })
    for (const path of ['/console', '/console/index.js'])
      assert.equal((await service.request('GET', path)).body.message, `Not Found - GET ${path}`)
    assert.doesNotMatch((await service.request('GET', '/openapi.json')).text, /"\/console/)
    assert.doesNotMatch((await service.request('GET', '/docs')).text, /href="console"/)
    await service.close()
  })

  it('is linked from the reference', async () => {
    const service = await startService()
    assert.match((await service.request('GET', '/docs')).text, /<a href="console">Console<\/a>/)
    await service.close()
  })
})
