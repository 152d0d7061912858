import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { readPackage } from '../../src/config/package.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { itInFull, someOf } from '../support/size.ts'
import { tool, toolHere, toolProcess } from './tool.ts'

const commands = [
  ['owner', 'create'],
  ['user', 'create'],
  ['user', 'list'],
  ['user', 'show'],
  ['user', 'set-password'],
  ['user', 'set-role'],
  ['user', 'ban'],
  ['user', 'unban'],
  ['user', 'revoke'],
  ['user', 'rename'],
  ['user', 'delete'],
  ...['create', 'list', 'rotate', 'revoke'].map((verb) => ['key', verb]),
  ['audit'],
  ['usage'],
  ['config', 'check'],
  ['db', 'migrate'],
  ['db', 'status'],
  ...['import', 'upload', 'describe', 'delete', 'list', 'stats', 'export', 'reindex', 'verify'].map((verb) => [
    'images',
    verb,
  ]),
  ['limits', 'show'],
  ['limits', 'reset'],
  ...[
    'components',
    'change',
    'runs',
    'incidents',
    'retire',
    'acknowledge',
    'mute',
    'maintenance',
    'recurring-maintenance',
    'test',
  ].map((verb) => ['status', verb]),
  ...['open-incident', 'update-incident', 'delete-incident', 'written-incidents'].map((verb) => ['status', verb]),
  ['backup'],
  ['restore'],
  ['move'],
  ['completion'],
]

describe('Usage of the command line', () => {
  it('--help lists the exit codes for every command, and needs no settings', async () => {
    for (const args of [[], ...commands]) {
      const { code, stdout } = await toolHere({ PORT: 'bad' }, [...args, '--help'])
      assert.equal(code, 0)
      assert.match(stdout, /Exit codes: 0 success; 1 failure/)
      assert.match(stdout, /2 wrong usage/)
      assert.match(stdout, /--json/)
    }
  })

  it('--help fits the terminal, but for commands to copy', async () => {
    const sizes = [60, 80, 100, 120, 200].flatMap((columns) =>
      [[], ['user'], ...commands].map((args) => [columns, args]),
    )
    for (const [columns, args] of sizes as [number, string[]][]) {
      const terminal = { isTTY: true, columns }
      const { stdout } = await toolHere({}, [...args, '--help'], '', systemClock, process, terminal)
      const isToCopy = (line: string) => args[0] === 'completion' && line.includes('  ')
      const tooLong = stdout.split('\n').filter((line) => line.length > Math.min(columns, 120) && !isToCopy(line))
      assert.deepEqual(tooLong, [], `${args.join(' ')} in ${columns} columns`)
      // Wrapped anew, not broken twice.
      const paragraph = stdout.slice(stdout.indexOf('Exit codes: ')).trim().split('\n')
      const isFull = (line: string, at: number) =>
        line.length + 1 + (paragraph[at + 1]?.split(' ')[0]?.length ?? Infinity) > Math.min(columns, 120)
      assert.ok(paragraph.length > 1 && paragraph.every(isFull), paragraph.join('\n'))
    }
  })

  it('help prints the same as --help after the command, and refuses an unknown one', async () => {
    for (const args of [[], ['user'], ...commands]) {
      const after = await toolHere({}, [...args, '--help'])
      assert.deepEqual(await toolHere({ PORT: 'bad' }, ['help', ...args]), after)
      assert.deepEqual(await toolHere({}, ['--json', 'help', ...args]), after)
      assert.ok(after.stdout.includes(` ${args.join(' ')}`))
    }
    for (const [unknown, ...args] of [
      ['ban', 'ban'],
      ['mute', 'user', 'mute'],
      ['nothing', 'nothing', 'user'],
    ]) {
      const { code, stdout, stderr } = await toolHere({}, ['help', ...args])
      assert.deepEqual([code, stdout, stderr], [2, '', `Unknown command '${unknown}'. See --help.\n`])
    }
  })

  it('--help marks the options that a command requires', async () => {
    for (const [command, ...options] of [
      [['status', 'open-incident'], '--text', '--level'],
      [['key', 'create'], '--name', '--scopes'],
      [['images', 'import'], '--kind'],
      [['move'], '--to'],
    ] as const) {
      const { stdout } = await toolHere({}, [...command, '--help'])
      const each = stdout.split(/^ +(?=-)/m).filter((text) => text.includes('(required)'))
      assert.deepEqual(
        each.map((text) => text.split(' ')[0]),
        options,
      )
    }
  })

  itInFull(
    'in a checkout, the command that --help names for scripts works with the Node on PATH, too old or not',
    () => {
      const root = join(import.meta.dirname, '../..')
      const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
      const env = { ...process.env, PATH: paths.join(delimiter) }
      const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: root, env, encoding: 'utf8' })
      const [, named = ''] = /^In scripts, use (.+) <command> --json:/m.exec(run('npm run cli -- --help')) ?? []
      assert.ok(JSON.parse(run(`${named} config check --json`)).settings.length > 0)
    },
  )

  it('the process has the exit code', async () => {
    for (const [args, code] of someOf(1, [[[], 2] as const, [['--help'], 0] as const]))
      assert.equal((await toolProcess({}, args)).code, code)
  })

  it('--version prints the version alone', async () => {
    assert.deepEqual(await toolHere({ PORT: 'bad' }, ['--version']), {
      code: 0,
      stdout: `${readPackage().version}\n`,
      stderr: '',
    })
  })

  it('a missing, incomplete or unknown command is wrong usage', async () => {
    for (const args of [
      [],
      ['user'],
      ['db'],
      ['frobnicate'],
      ['user', 'frobnicate'],
      ['--frobnicate'],
      ['user', 'create'],
    ]) {
      const { code, stdout, stderr } = await toolHere({}, args)
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
      assert.match(stderr, /--help/)
      assert.equal(stderr.trim().split('\n').length, 1)
    }
  })

  it('an option of another command is wrong usage', async () => {
    for (const args of [
      ['user', 'list', '--yes'],
      ['user', 'show', 'alice', '--role', 'user'],
      ['db', 'status', 'now'],
    ])
      assert.equal((await tool({}, args)).code, 2)
  })

  it('--json works before and after the command', async () => {
    for (const args of [
      ['--json', 'config', 'check'],
      ['config', '--json', 'check'],
      ['config', 'check', '--json'],
    ])
      assert.ok(JSON.parse((await tool({}, args)).stdout).settings)
  })
})
