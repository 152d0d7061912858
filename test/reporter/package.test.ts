import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { ScriptedWorker } from './worker-stage.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

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

describe('The package', () => {
  const folder = temporaryFolder()
  after(() => folder.remove())

  before(async () => {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd: root })
    const modules = join(folder.path, 'node_modules')
    mkdirSync(modules)
    await run('tar', ['-xzf', join(folder.path, stdout.trim().split('\n').at(-1) ?? ''), '-C', modules])
    await run('mv', ['package', 'menagerie'], { cwd: modules })
    for (const [name, code] of Object.entries(programs)) writeFileSync(join(folder.path, name), code)
    writeFileSync(join(folder.path, 'typed.mts'), typed)
  })

  for (const node of nodes)
    for (const name of Object.keys(programs))
      it(`exports the reporter to ${name}, run by ${node === process.execPath ? 'the pinned Node' : "the machine's"}`, async () => {
        const worker = await ScriptedWorker.start()
        const { stdout } = await run(node, [name, worker.url], { cwd: folder.path })
        assert.equal(stdout, 'true\n')
        assert.deepEqual(worker.told.sort(), ['api operational', 'db degraded'])
        await worker.close()
      })

  it('has the types of the reporter, without those of Node', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', 'typed.mts']
    await run(process.execPath, [compiler, ...options], { cwd: folder.path })
  })

  it('brings no Node, runs no script at install, and has no source', () => {
    const packed = join(folder.path, 'node_modules/menagerie')
    const { scripts, dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(packed, 'package.json'), 'utf8'),
    )
    for (const value of [scripts.preinstall, scripts.install, scripts.postinstall, optionalDependencies])
      assert.equal(value, undefined)
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => name.startsWith('node-')),
      [],
    )
    assert.deepEqual(readdirSync(packed).sort(), [
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'package.json',
      'samples',
      'scripts',
    ])
  })
})
