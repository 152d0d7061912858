import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createReporter } from '../../src/reporter/reporter.ts'
import { temporaryFolder } from '../support/folder.ts'
import { selfSigned } from '../support/self-signed.ts'
import { program } from './program.ts'
import { heardLog, until } from './worker-stage.ts'

describe('A worker behind TLS', () => {
  it('receives reports if its certificate is trusted, and otherwise nothing', async (t) => {
    const { key, cert } = selfSigned()
    const folder = temporaryFolder()
    const trusted = join(folder.path, 'trusted.pem')
    writeFileSync(trusted, cert)
    const heard: string[] = []
    const server = createServer({ key, cert }, async (request, response) => {
      heard.push(`${request.url} ${Buffer.concat(await request.toArray())}`)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      folder.remove()
    })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`

    const log = heardLog()
    const reporter = createReporter({ url, log })
    reporter.report('api', 'operational')
    await until(() => reporter.failures === 1)
    reporter.close()
    assert.deepEqual(log.lines[0]?.fields, { component: 'api', outcome: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    assert.deepEqual(heard, [])

    const lines = "reporter.report('api', 'degraded')\nconsole.log(await reporter.flush())"
    assert.deepEqual(await program(url, lines, { NODE_EXTRA_CA_CERTS: trusted }), [0, 'true\n'])
    assert.deepEqual(heard, ['/heartbeat/api {"status":"degraded"}'])
  })
})
