import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { program, typed as typedClient } from './client/package-programs.ts'
import { readmeProgram } from './client/readme.ts'
import { ScriptedWorker } from './reporter/worker-stage.ts'
import { temporaryFolder } from './support/folder.ts'
import { password, startService } from './support/service.ts'
import { isFullSize, someOf } from './support/size.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** The pinned Node, and the machine's own: often 20, the oldest that the package supports. */
const machineNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find(existsSync)
const nodes = [process.execPath, ...(machineNode === undefined ? [] : [machineNode])]

const use = `const reporter = createReporter({ url: process.argv[2] })
  reporter.every('db', 60_000, () => 'degraded')
  reporter.report('api', 'operational')
  reporter.flush().then(console.log)`
const programs = {
  'esm.mjs': `import { createReporter } from 'menagerie/reporter'\n${use}`,
  'commonjs.cjs': `import('menagerie/reporter').then(({ createReporter }) => {\n${use}\n})`,
}
const typed = `import { createReporter, type Status } from 'menagerie/reporter'
  const status: Status = 'operational'
  const stop: () => void = createReporter({ url: ['http://a', 'http://b'] }).every('api', 1_000, async () => status)
  // @ts-expect-error
  createReporter({ url: 1 })
  stop()`

const compiler = join(root, 'node_modules/typescript/bin/tsc')
const folder = temporaryFolder()
after(() => folder.remove())

/** A copy of the checkout, so that nothing is built in it: other tests read `dist/` and `console/dist/` meanwhile. */
const copy = join(folder.path, 'checkout')
function copyCheckout(): void {
  const isBuilt = /\/(?:node_modules|dist)$/
  for (const path of ['src', 'client', 'console', 'scripts', 'samples', 'docs'])
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      // The console's dist is current: building it again takes three seconds.
      filter: (source) => !isBuilt.test(source) || source.endsWith('/console/dist'),
    })
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'README.md',
    'LICENSE',
  ])
    cpSync(join(root, path), join(copy, path), { preserveTimestamps: true })
  for (const path of ['node_modules', 'client/node_modules', 'console/node_modules'])
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(copy, path))
}

/** Packs the package in `cwd`, and returns the tarball. It is never installed, so its dependencies are missing. */
async function pack(cwd: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd })
  return join(folder.path, stdout.trim().split('\n').at(-1) ?? '')
}

async function unpack(tarball: string, name: string): Promise<void> {
  const modules = join(folder.path, 'node_modules')
  mkdirSync(modules, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', modules])
  await run('mv', ['package', name], { cwd: modules })
}

/** Building and packing takes seven seconds of CPU. */
const skip = isFullSize ? false : 'in npm run test:all'

describe('The package', { skip }, () => {
  before(async () => {
    copyCheckout()
    await unpack(await pack(copy), 'menagerie')
    for (const [name, code] of Object.entries(programs)) writeFileSync(join(folder.path, name), code)
    writeFileSync(join(folder.path, 'typed.mts'), typed)
  })

  // The first and the last: each program, and each Node.
  const runs = nodes.flatMap((node) => Object.keys(programs).map((name) => ({ node, name })))
  for (const { node, name } of isFullSize ? runs : [runs.at(0), runs.at(-1)].filter((run) => run !== undefined))
    it(`exports the reporter to ${name}, run by ${node === process.execPath ? 'the pinned Node' : "the machine's"}`, async () => {
      const worker = await ScriptedWorker.start()
      const { stdout } = await run(node, [name, worker.url], { cwd: folder.path })
      assert.equal(stdout, 'true\n')
      assert.deepEqual(worker.told.sort(), ['api operational', 'db degraded'])
      await worker.close()
    })

  it('has the types of the reporter, without those of Node', async () => {
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023', '--types', '', 'typed.mts']
    await run(process.execPath, [compiler, ...options], { cwd: folder.path })
  })

  it('contains no Node and no source, and runs no script at install', () => {
    const packed = join(folder.path, 'node_modules/menagerie')
    const { scripts, dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(packed, 'package.json'), 'utf8'),
    )
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare']
    assert.deepEqual(
      Object.keys(scripts).filter((name) => atInstall.includes(name)),
      [],
    )
    assert.deepEqual(Object.keys(optionalDependencies), ['sharp', 'thumbhash'])
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => name.startsWith('node-')),
      [],
    )
    assert.deepEqual(readdirSync(packed).sort(), [
      'LICENSE',
      'README.md',
      'console',
      'dist',
      'docs',
      'package.json',
      'samples',
      'scripts',
    ])
    assert.deepEqual(readdirSync(join(packed, 'console')), ['dist'])
  })
})

/** After the main package, for which the checkout is copied. */
describe('The package of the client', { skip }, () => {
  before(async () => {
    await unpack(await pack(join(copy, 'client')), 'menagerie-client')
    writeFileSync(join(folder.path, 'client.mjs'), program)
    writeFileSync(join(folder.path, 'client.mts'), typedClient)
    writeFileSync(join(folder.path, 'readme.mts'), readmeProgram())
  })

  it('works on the pinned Node, and on that of the machine', async () => {
    const service = await startService({ env: { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password } })
    for (const node of nodes) {
      const { stdout } = await run(node, ['client.mjs', service.url, password], { cwd: folder.path })
      assert.equal(stdout, 'fox/packed.png 1 1 true Image not found function\n', node)
    }
    await service.close()
  })

  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const target = ['--target', 'es2022', '--skipLibCheck', 'false']
  const environments = {
    "Node's types": [
      '--lib',
      'es2022',
      '--types',
      'node',
      '--typeRoots',
      join(root, 'node_modules/@types'),
      '--module',
      'node16',
    ],
    "a browser's types and a bundler": ['--lib', 'es2022,dom,dom.iterable', '--types', '', '--module', 'preserve'],
  }
  for (const [name, options] of someOf(1, Object.entries(environments)))
    it(`compiles strictly with ${name}`, async () => {
      const files = options.includes('node') ? ['client.mts', 'readme.mts'] : ['client.mts']
      await run(process.execPath, [compiler, ...strict, ...target, ...options, ...files], { cwd: folder.path })
    })

  it('has no dependency and no source, and runs no script at install', () => {
    const packed = join(folder.path, 'node_modules/menagerie-client')
    const { dependencies, scripts } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
    assert.deepEqual([dependencies, Object.keys(scripts)], [undefined, ['prepack']])
    assert.deepEqual(readdirSync(packed).sort(), ['README.md', 'dist', 'package.json'])
  })
})
