import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { settings } from '../../src/config/settings.ts'
import { parseNetworks } from '../../src/lib/address.ts'
import { testFolder } from '../support/test-folder.ts'
import { missingOrSlow, parseYaml, read, root } from './tools.ts'

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly { readonly source: string }[]
  readonly volumes?: readonly string[]
  readonly stop_grace_period?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly networks?: Readonly<Record<string, Network | null>>
}

interface Network {
  readonly ipv4_address?: string
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
  readonly networks: Readonly<
    Record<string, { readonly ipam?: { readonly config: { readonly subnet: string; readonly ip_range?: string }[] } }>
  >
}

const skip = missingOrSlow('docker-compose')
const { version } = JSON.parse(read('package.json'))
const settingNames = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])

const emptyFile = () => {
  const path = join(testFolder(), '.env')
  writeFileSync(path, '')
  return path
}

const known = new Map<string, Compose>()

/** A compose file as docker-compose resolves it, without this environment. */
function compose(file: string): Compose {
  const env = { PATH: process.env.PATH, DOMAIN: 'menagerie.example.org' }
  const options = ['--file', join(root, file), '--env-file', emptyFile(), '--project-directory', root]
  const found =
    known.get(file) ?? parseYaml(execFileSync('docker-compose', [...options, 'config'], { encoding: 'utf8', env }))[0]
  known.set(file, found)
  return found
}

const oursOf = ({ services }: Compose) => Object.entries(services).filter(([, { image }]) => /^menagerie:/.test(image))

describe('The compose files', { skip }, () => {
  for (const file of ['compose.yaml', 'compose.cluster.yaml'])
    it(`${file} publishes no status worker, which allows loopback and the subnet of its own network only`, () => {
      const read = compose(file)
      const published = Object.values(read.services).flatMap(({ ports = [] }) => ports)
      assert.deepEqual(
        published.filter((port) => /3001/.test(port)),
        [],
      )
      const subnets = Object.values(read.networks).flatMap(({ ipam }) => ipam?.config.map(({ subnet }) => subnet) ?? [])
      const workers = oursOf(read).filter(([, { command = ['start'] }]) => command[0] !== 'api')
      assert.ok(workers.length > 0)
      for (const [name, { environment }] of workers) {
        const [v4, v6, subnet = '', ...others] = (environment?.STATUS_ALLOW ?? '').split(', ')
        assert.deepEqual([v4, v6, subnets.includes(subnet), others], ['127.0.0.0/8', '::1', true, ['!gateway']], name)
      }
    })

  it('compose.cluster.yaml allows changes at the workers from the fixed addresses of the API instances alone', () => {
    const { services, networks } = compose('compose.cluster.yaml')
    const ofKind = (kind: string) => Object.entries(services).filter(([name]) => name.startsWith(`${kind}-`))
    const addresses = ofKind('api').map(([, { networks = {} }]) => networks.back?.ipv4_address)
    assert.equal(addresses.length, 2)
    for (const [name, { environment = {} }] of ofKind('worker'))
      assert.equal(environment.STATUS_ADMIN_ALLOW, ['127.0.0.0/8', '::1', ...addresses].join(', '), name)
    // Others get theirs from the second half of the subnet.
    const [config] = networks.back?.ipam?.config ?? []
    const given = parseNetworks(config?.ip_range ?? '')
    for (const address of addresses) {
      assert.ok(parseNetworks(config?.subnet ?? '').has(address as string))
      assert.ok(!given.has(address as string))
    }
  })

  for (const file of ['compose.yaml', 'compose.cluster.yaml'])
    it(`${file} hardens our containers, gives each a volume and the time to stop, and sets only settings`, () => {
      for (const [name, service] of oursOf(compose(file))) {
        assert.equal(service.image, `menagerie:${version}`)
        assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']], name)
        assert.deepEqual(
          service.volumes?.map((volume) => volume.split(':')[1]),
          ['/data'],
          name,
        )
        const delay = Number(service.environment?.SHUTDOWN_DELAY_SECONDS ?? 0)
        assert.ok(Number(service.stop_grace_period?.replace('s', '')) >= delay + 12, name)
        const names = Object.keys(service.environment ?? {})
        assert.deepEqual(
          names.filter((each) => !settingNames.includes(each)),
          [],
          name,
        )
      }
    })

  it('compose.yaml is reachable from this machine only', () => {
    assert.deepEqual(compose('compose.yaml').services.menagerie?.ports, ['127.0.0.1:3000:3000/tcp'])
  })

  it('compose.cluster.yaml has every secret as a file, and Caddy alone in front of the two instances', () => {
    const { services, secrets = {} } = compose('compose.cluster.yaml')
    for (const [name, service] of Object.entries(services)) {
      const used = service.secrets?.map(({ source }) => source) ?? []
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (variable.endsWith('_FILE')) assert.ok(used.includes(value.replace('/run/secrets/', '')), `${name} ${value}`)
        assert.doesNotMatch(variable, /(SECRET|KEY|PASSWORD|TOKEN)$/, name)
      }
      for (const source of used) assert.match(secrets[source]?.file ?? '', new RegExp(`/secrets/${source}$`))
      assert.equal(service.ports === undefined, name !== 'caddy', name)
    }
    assert.match(read('deploy/Caddyfile'), /reverse_proxy api-1:3000 api-2:3000 /)
    assert.deepEqual(
      Object.keys(services).filter((name) => /^(api|worker)-/.test(name)),
      ['api-1', 'api-2', 'worker-1', 'worker-2'],
    )
  })

  it('name only files that exist', () => {
    const mounted = [...read('compose.cluster.yaml').matchAll(/- \.\/([\w./-]+):/g)].map(([, path = '']) => path)
    assert.deepEqual(mounted, ['deploy/Caddyfile'])
    for (const path of mounted) assert.ok(existsSync(join(root, path)), path)
  })
})
