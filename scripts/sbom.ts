import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './compile.ts'

/*
 * npm run sbom: a software bill of materials in CycloneDX 1.5 of everything that runs: the packages of the service, for
 * every platform, and those that Vite compiles into the console. From package-lock.json alone, so that the same commit has
 * the same document. `npm sbom` needs --workspaces=false, because the workspace that pins Node has no version, and with
 * it leaves out the packages of the console and those of the service that a development dependency needs as well.
 */

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** What only builds the console. */
const isTool = (name: string) => name === 'vite' || name.startsWith('@types/')

const purl = (name: string, version: string) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/** As Node resolves a name: in the folder of the package, then in those around it. */
function resolve(packages: Readonly<Record<string, Locked>>, from: string, name: string): string | undefined {
  const folders = [from]
  for (let at = from.lastIndexOf('/node_modules/'); at > 0; at = from.lastIndexOf('/node_modules/', at - 1))
    folders.push(from.slice(0, at))
  return [...folders.filter((folder) => folder !== '').map((folder) => `${folder}/`), '']
    .map((folder) => `${folder}node_modules/${name}`)
    .find((path) => Object.hasOwn(packages, path))
}

const namesOf = (entry: Locked) =>
  Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies })

/** The place in the lock file of each package that runs, with those that it needs. */
function closure(packages: Readonly<Record<string, Locked>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const placesOf = (from: string, names: readonly string[]) =>
    names.map((name) => resolve(packages, from, name)).filter((path) => path !== undefined && !isTool(nameOf(path)))
  const bundled = Object.keys(packages.console?.devDependencies ?? {}).filter((name) => !isTool(name))
  const first = [...placesOf('', namesOf(packages[''] as Locked)), ...placesOf('console', bundled)] as string[]
  found.set('', first)
  for (const waiting = [...first]; waiting.length > 0; ) {
    const path = waiting.pop() as string
    if (found.has(path)) continue
    const needs = placesOf(path, namesOf(packages[path] as Locked)) as string[]
    found.set(path, needs)
    waiting.push(...needs)
  }
  return found
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Licences as SPDX expressions, hashes as CycloneDX writes them: in hexadecimal. */
function component(path: string, entry: Locked): object {
  const name = nameOf(path)
  const { version = '', integrity, license, optional } = entry
  if (integrity === undefined || license === undefined) throw new Error(`${name} has no integrity or licence`)
  const [algorithm = '', digest = ''] = integrity.split('-', 2)
  return {
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    scope: optional ? 'optional' : 'required',
    hashes: [{ alg: algorithm.replace(/^sha/, 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [{ expression: license }],
    purl: purl(name, version),
  }
}

export function billOfMaterials(lock: { readonly packages: Readonly<Record<string, Locked>> }): {
  readonly components: readonly object[]
} {
  const { packages } = lock
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = closure(packages)
  const refOf = (path: string) =>
    path === '' ? purl(name, version) : purl(nameOf(path), packages[path]?.version ?? '')
  // One package may lie at several places.
  const places = new Map([...found.keys()].sort().map((path) => [refOf(path), path]))
  const product = { type: 'application', 'bom-ref': refOf(''), name, version, purl: refOf('') }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...product, licenses: [{ expression: license }] } },
    components: [...places.values()]
      .filter((path) => path !== '')
      .map((path) => component(path, packages[path] as Locked)),
    dependencies: [...places].map(([ref, path]) => ({
      ref,
      dependsOn: [...new Set((found.get(path) as readonly string[]).map(refOf))].sort(),
    })),
  } as { readonly components: readonly object[] }
}

if (import.meta.main) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  process.stdout.write(`${JSON.stringify(billOfMaterials(lock), null, 2)}\n`)
}
