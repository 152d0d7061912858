import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { parseAllowed } from '../../src/lib/address.ts'
import { defaultGateways } from '../../src/lib/default-gateways.ts'
import { createLogs } from '../../src/process/logger.ts'
import { createGatewayLog } from '../../src/worker/forbid.ts'
import { openWorker } from '../status/worker-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { rawRequest } from '../support/raw-request.ts'

const byDefault = '127.0.0.0/8, ::1, 172.16.0.0/12'

it('STATUS_ALLOW: an exclusion wins wherever it stands, and a list of exclusions alone is taken from the default', () => {
  const gateways = ['172.17.0.1']
  for (const [text, allowed, refused] of [
    ['!172.17.0.1', ['127.0.0.1', '::1', '172.17.0.2'], ['172.17.0.1', '10.0.0.1']],
    ['! 172.17.0.0/24 , 172.17.0.1, 10.0.0.1', ['10.0.0.1'], ['172.17.0.1', '127.0.0.1']],
    ['10.0.0.0/8, !gateway, 172.16.0.0/12', ['10.0.0.1', '172.17.0.2'], ['172.17.0.1']],
    ['!loopback', ['172.17.0.1'], ['127.0.0.1', '::1']],
  ] as const) {
    const networks = parseAllowed(text, byDefault).without(gateways)
    for (const address of allowed) assert.ok(networks.has(address), `${text}: ${address}`)
    for (const address of refused) assert.ok(!networks.has(address), `${text}: ${address}`)
  }
  for (const text of ['!', '!x', '!gateways', 'gateway', '!!10.0.0.1', '!10.0.0.0/33'])
    assert.throws(() => parseAllowed(text, byDefault), text)
})

it('The default gateways are those of /proc/net/route, and none where that is missing', () => {
  const folder = temporaryFolder()
  const path = `${folder.path}/route`
  const rows = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
    'eth1\t00000A0A\t01000A0A\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0',
  ]
  writeFileSync(path, `${rows.join('\n')}\n`)
  assert.deepEqual(defaultGateways(path), ['172.17.0.1'])
  assert.deepEqual(defaultGateways(`${folder.path}/none`), [])
  folder.remove()
})

it('The first heartbeat from the gateway is logged once, with the hint', () => {
  const lines: string[] = []
  const { log } = createLogs('info', fakeClock(), { write: (line) => lines.push(line), flush() {} })
  const heard = createGatewayLog(['172.17.0.1'], log)
  for (const address of ['172.17.0.2', '172.17.0.1', '172.17.0.1']) heard(address)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /172\.17\.0\.1.*STATUS_ALLOW=!gateway/)
})

it('The status worker answers 403 to an excluded address, and its neighbours as before', async () => {
  const worker = await openWorker({ env: { STATUS_ALLOW: '!127.0.0.3, !gateway' } })
  const from = async (localAddress: string) => (await rawRequest(`${worker.url}/livez`, { localAddress })).status
  assert.deepEqual([await from('127.0.0.3'), await from('127.0.0.2')], [403, 200])
  const { allowList } = (await worker.ask('GET', '/diag')).body.config
  assert.deepEqual(allowList.slice(-2), ['!127.0.0.3', '!gateway'])
  await worker.close()
})
