import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { billOfMaterials } from '../scripts/sbom.ts'

interface Component {
  readonly name: string
  readonly version: string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly { readonly expression: string }[]
}

const root = join(import.meta.dirname, '..')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const bill = billOfMaterials(lock) as { readonly components: readonly Component[] }

describe('The software bill of materials', () => {
  it('has every package that npm installs without the development dependencies, as the lock file has it', () => {
    const nodes = /\/node_modules\/|^node_modules\/node-(bin-)?(darwin|linux|win)/
    const run = Object.entries<Record<string, string | boolean>>(lock.packages).filter(
      ([path, entry]) => path.startsWith('node_modules/') && !entry.link && !entry.dev && !nodes.test(path),
    )
    assert.ok(run.length > 60)
    for (const [path, { version, integrity, license }] of run) {
      const name = path.slice('node_modules/'.length)
      const found = bill.components.find((part) => part.name === name && part.version === version)
      assert.ok(found, `${name} ${version} is missing`)
      const [{ alg, content } = { alg: '', content: '' }] = found.hashes
      assert.equal(
        `${alg.replace('SHA-', 'sha')}-${Buffer.from(content, 'hex').toString('base64')}`,
        integrity,
        `the hash of ${name}`,
      )
      assert.deepEqual(found.licenses, [{ expression: license }])
    }
  })

  it('has every package that the console imports, and none of the tools that only build or test', () => {
    const names = new Set(bill.components.map(({ name }) => name))
    const imported = readdirSync(join(root, 'console', 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => [...readFileSync(join(root, 'console', 'src', file), 'utf8').matchAll(/from '([^'.][^']*)'/g)])
      .map(([, from = '']) =>
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name) && name !== 'menagerie-client')
    assert.ok(imported.length > 20)
    assert.deepEqual(
      [...new Set(imported)].filter((name) => !names.has(name)),
      [],
    )
    for (const tool of ['vite', 'typescript', 'fast-check', '@biomejs/biome', 'playwright-core'])
      assert.ok(!names.has(tool), tool)
  })

  it('names each package once, and only packages that it has as dependencies', () => {
    const { components, dependencies } = bill as unknown as {
      readonly components: readonly { readonly 'bom-ref': string }[]
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
    }
    const refs = components.map((part) => part['bom-ref'])
    assert.equal(new Set(refs).size, refs.length)
    assert.deepEqual(
      dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)),
      [],
    )
    assert.equal(dependencies.length, refs.length + 1)
  })
})
