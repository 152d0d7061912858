import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { type Client, openClient } from '../../../src/drivers/status-pages/client.ts'
import { atEnd } from '../../support/at-end.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { type Reply, StatusServer } from '../../support/status-servers.ts'
import { until } from '../../support/until.ts'

const ok: Reply = { status: 200 }
const turn = () => new Promise((go) => setImmediate(go))

function opened(limitMs = 4_000) {
  const client = openClient(limitMs)
  atEnd(() => client.close())
  return client
}

describe('A request over TLS', () => {
  const request = (url: string) =>
    ({ method: 'POST', url, headers: { Authorization: 'Bearer SECRET' }, body: '{}' }) as const

  it('is sent only after the certificate was verified', async () => {
    const { key, cert } = selfSigned()
    let asked = 0
    const server = createTlsServer({ key, cert }, (_request, response) => {
      asked += 1
      response.end()
    }).listen(0, '127.0.0.1')
    atEnd(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = `https://127.0.0.1:${port}/`
    const client = opened()
    const code = 'DEPTH_ZERO_SELF_SIGNED_CERT'
    assert.deepEqual(await client.send(request(url)), { kind: 'not-sent', code })
    assert.equal(asked, 0)
    const usual = getCACertificates('default')
    setDefaultCACertificates([cert])
    try {
      assert.equal((await client.send(request(url))).kind, 'response')
      const other = await client.send(request(`https://localhost:${port}/`))
      assert.deepEqual(other, { kind: 'not-sent', code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    } finally {
      setDefaultCACertificates(usual)
    }
    assert.equal(asked, 1)
  })

  it('is not sent to a server that speaks no TLS, or is silent', async () => {
    const received: Buffer[] = []
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (piece) => {
        received.push(Buffer.from(piece))
        if (received.length === 1) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
    }).listen(0, '127.0.0.1')
    atEnd(() => server.close())
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const refused = await opened().send(request(url))
    assert.equal(refused.kind, 'not-sent')
    const silent = await opened(200).send(request(url))
    assert.deepEqual(silent, { kind: 'not-sent', code: 'TIMEOUT' })
    assert.doesNotMatch(Buffer.concat(received).toString('latin1'), /SECRET/)
  })
})

describe('A request', () => {
  it('has its own connection, closed afterwards, and a Content-Length', async () => {
    const page = await StatusServer.open(() => ok)
    const client = opened()
    await client.send({ method: 'POST', url: page.url, body: '{"ä":1}' })
    await client.send({ method: 'POST', url: page.url })
    const [first, second] = page.asked.map(({ headers }) => headers)
    assert.deepEqual([first?.connection, first?.['content-length']], ['close', '8'])
    assert.deepEqual([second?.connection, second?.['content-length']], ['close', '0'])
    await page.close()
  })

  it('never throws, whatever its URL and headers', async () => {
    const client = opened()
    const badUrl = await client.send({ method: 'GET', url: 'http://' })
    assert.deepEqual(badUrl, { kind: 'not-sent', code: 'ERR_INVALID_URL' })
    const badHeader = await client.send({ method: 'GET', url: 'http://127.0.0.1', headers: { a: 'x\ny' } })
    assert.deepEqual(badHeader, { kind: 'not-sent', code: 'ERR_INVALID_CHAR' })
  })

  it('ignores the proxies that the environment names', async () => {
    const [page, proxy] = [await StatusServer.open(() => ok), await StatusServer.open(() => ok)]
    const file = new URL('../../../src/drivers/status-pages/client.ts', import.meta.url).href
    const script = `
      import { openClient } from ${JSON.stringify(file)}
      const client = openClient()
      await client.send({ method: 'POST', url: ${JSON.stringify(page.url)} })
      await client.close()`
    const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' }
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, ...env },
    })
    assert.deepEqual([page.asked.length, proxy.sockets], [1, 0])
    await Promise.all([page.close(), proxy.close()])
  })
})

describe('A request to a server that hangs', () => {
  const silentPage = async () => {
    const page = await StatusServer.open(() => ok)
    page.fault = { kind: 'silent' }
    return page
  }
  const askedOf = async (page: StatusServer, client: Client) => {
    const answers = Array.from({ length: 20 }, () => client.send({ method: 'GET', url: page.url }))
    await until(() => page.asked.length >= answers.length)
    return answers
  }

  it('times out exactly at its timeout, and leaves no connection open', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const page = await silentPage()
    const answers = await askedOf(page, opened(4_000))
    let ended = 0
    for (const answer of answers) void answer.then(() => ended++)
    t.mock.timers.tick(3_999)
    await turn()
    assert.equal(ended, 0)
    t.mock.timers.tick(1)
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, { kind: 'no-response', code: 'TIMEOUT' })
    await page.emptied()
    await page.close()
  })

  it('is aborted with its sockets when the client is closed; later ones are not sent', async () => {
    const sockets = { opened: 0, open: 0 }
    const onSocket = (message: unknown) => {
      sockets.opened += 1
      sockets.open += 1
      ;(message as { socket: Socket }).socket.once('close', () => {
        sockets.open -= 1
      })
    }
    subscribe('net.client.socket', onSocket)
    const page = await silentPage()
    const client = opened()
    const answers = await askedOf(page, client)
    assert.deepEqual(sockets, { opened: 20, open: 20 })
    await client.close()
    assert.deepEqual(sockets, { opened: 20, open: 0 })
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, { kind: 'no-response', code: 'CLOSED' })
    assert.deepEqual(await client.send({ method: 'GET', url: page.url }), { kind: 'not-sent', code: 'CLOSED' })
    assert.equal(sockets.opened, 20)
    unsubscribe('net.client.socket', onSocket)
    await page.close()
  })
})
