import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Reporter } from '../../src/reporter/reporter.ts'
import { tickMs } from '../../src/status/deadlines.ts'
import { openWorker, type TestWorker } from '../status/worker-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { itInFull, sized } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { turns, until } from '../support/until.ts'

/* Heartbeat recipes of the documents, run as printed, except for the worker's address and the component's name. */

const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** The longest that the worker does not take for a pause of its own. */
const longTickMs = 2 * tickMs
const run = promisify(execFile)

interface Recipe {
  readonly language: string
  readonly text: string
}

const blocksOf = (text: string): Recipe[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, text: code }))

/** Every block that sends a heartbeat, line by line if it is for a shell, and commands within the text. */
const recipes: Recipe[] = [
  ...[...blocksOf(textOf('docs/status.md')), ...blocksOf(textOf('docs/reference.md'))].flatMap((block) =>
    block.language === 'sh' ? block.text.split(/(?<!\\)\n/).map((text) => ({ language: 'sh', text })) : [block],
  ),
  ...[...textOf('docs/reference.md').matchAll(/`(wget [^`]+)`/g)].map(([, text = '']) => ({ language: 'sh', text })),
]
  .filter(({ language, text }) => text.includes('/heartbeat/') && language !== 'json')
  // The samples of routes send a start without an end, and a failure.
  .filter(({ text }) => !text.includes('@text.plain'))

/** Resolves to the arguments of a command. */
const commands: Record<string, (text: string) => readonly string[]> = {
  // The five fields before it are those of a crontab.
  sh: (text) => ['sh', '-c', text.replace(/^(\d+|\*)( \S+){4} /, '')],
  bash: (text) => ['bash', '-c', text],
  ini: (text) => ['sh', '-c', /^ExecStopPost=(.*)$/m.exec(text)?.[1] ?? assert.fail(text)],
  yaml: (text) => [
    'curl',
    ...(/args: \[(.*)\]/.exec(text)?.[1] ?? '').split(', ').map((each) => each.replace(/^"|"$/g, '')),
  ],
  js: (text) => [process.execPath, '--input-type=module', '-e', text],
  python: (text) => ['python3', '-c', text],
  // Without PowerShell: the same request by curl.
  powershell: (text) => [
    'curl',
    '-fsS',
    '-X',
    /-Method (\w+)/.exec(text)?.[1]?.toUpperCase() ?? '',
    /-Uri '(.*)'/.exec(text)?.[1] ?? '',
  ],
}

function commandOf({ language, text }: Recipe, id: string, worker: TestWorker) {
  const here = text.replaceAll('http://127.0.0.1:3001', worker.url).replaceAll(/\/heartbeat\/\w+/g, `/heartbeat/${id}`)
  return (commands[language] ?? assert.fail(`no way to run ${language}:\n${text}`))(here)
}

async function send(recipe: Recipe, id: string, worker: TestWorker, env: Record<string, string>) {
  const { text } = recipe
  const [command = '', ...args] = commandOf(recipe, id, worker)
  const before = await worker.component(id)
  // A script ends with the exit code of its job.
  const isItsOwn = (code: unknown) => id === 'failing' && code === 3
  await run(command, args, { env: { ...process.env, ...env } }).catch(({ code, stderr }) =>
    assert.ok(isItsOwn(code), `${text}\n${stderr}`),
  )
  return { before, after: await worker.component(id) }
}

/** A worker with a clock that runs as fast as the machine: every timer that repeats is called in its order. */
async function fastWorker(t: it.TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  // On a weekday, right after 03:00 in Berlin.
  const clock = fakeClock(Date.parse('2026-06-01T01:00:30Z'))
  const env = { STATUS_GET_HEARTBEATS: 'true' }
  const worker = await openWorker({ env, overrides: { clock } })
  const pass = async (ms: number, perTickMs = tickMs) => {
    for (let passed = 0; passed < ms; passed += perTickMs) {
      clock.advance(perTickMs)
      t.mock.timers.tick(tickMs)
      // Not more often: the worker saves its daily sums each minute if it gets a turn.
      if (passed % (10 * minute) === 0) await turns()
    }
  }
  const incidents = async (): Promise<string[]> =>
    (await worker.ask('GET', '/incidents?limit=500')).body.incidents.map(
      (each: { componentId: string }) => each.componentId,
    )
  return { clock, worker, pass, incidents }
}

describe('The heartbeat recipes', () => {
  itInFull('of the guide and the reference open no incident in two periods, and one when they stop', async (t) => {
    const { worker, pass, incidents } = await fastWorker(t)
    const folder = temporaryFolder()
    for (const [name, exitCode] of [
      ['backup', 0],
      ['report', 0],
      ['failing', 3],
    ] as const) {
      writeFileSync(`${folder.path}/${name}`, `#!/bin/sh\nexit ${exitCode}\n`)
      chmodSync(`${folder.path}/${name}`, 0o755)
    }
    const exited = { EXIT_CODE: 'exited', EXIT_STATUS: '0' }
    const env = { PATH: `${folder.path}:${process.env.PATH}`, ...exited }
    const ids = recipes.map((_, index) => `recipe-${index}`)
    // Those that use GET need a registered component.
    for (const id of ids) await worker.beat(id)
    for (let period = 0; period < 2; period++) {
      const sent = await Promise.all(recipes.map((recipe, index) => send(recipe, `recipe-${index}`, worker, env)))
      for (const [index, { after }] of sent.entries())
        assert.equal(after.lastReportedStatus, 'operational', recipes[index]?.text ?? '')
      await pass(day, longTickMs)
      assert.deepEqual(await incidents(), [])
    }
    await pass(3 * hour, longTickMs)
    await until(async () => (await incidents()).length === ids.length)
    assert.deepEqual((await incidents()).sort(), ids.sort())
    const failing = recipes.filter(({ text }) => /EXIT_CODE|\$\?|returncode/.test(text))
    assert.equal(failing.length, 4)
    for (const { language, text } of failing) {
      const recipe = { language, text: text.replace(/(\* |\n|\[')(report|backup)\b/, '$1failing') }
      const { after } = await send(recipe, 'failing', worker, { ...env, EXIT_CODE: 'killed', EXIT_STATUS: 'KILL' })
      assert.equal(after.lastReportedStatus, 'outage')
      await worker.ask('DELETE', '/components/failing')
    }
    await worker.close()
    folder.remove()
  })

  it('for bash reports an interrupted job as failed, and the exit code of one that ends', async () => {
    const worker = await openWorker()
    const folder = temporaryFolder()
    const [recipe = assert.fail('no recipe for bash')] = recipes.filter(({ language }) => language === 'bash')
    const lastRun = async (id: string) => (await worker.ask('GET', `/components/${id}/runs`)).body.runs[0]
    const start = async (id: string, job: string, prelude = '') => {
      const started = `${folder.path}/${id}`
      writeFileSync(
        `${folder.path}/backup`,
        `#!/bin/sh\n${prelude}\necho 41 GB; echo $$ > ${started}.new; mv ${started}.new ${started}\n${job}\n`,
      )
      chmodSync(`${folder.path}/backup`, 0o755)
      const [command = '', ...args] = commandOf(recipe, id, worker)
      const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}` }
      // A group of its own, as `timeout` and service managers signal it.
      const script = spawn(command, args, { env, detached: true, stdio: 'ignore' })
      const closed = once(script, 'close')
      await until(() => existsSync(started))
      return { pid: script.pid ?? 0, jobsPid: Number(readFileSync(started, 'utf8')), closed }
    }
    for (const [id, prelude, signal, isGroup] of [
      ['script', '', 'SIGTERM', false],
      ['group', '', 'SIGTERM', true],
      ['obliging', 'trap "exit 0" TERM', 'SIGTERM', true],
      ['keyboard', '', 'SIGINT', true],
    ] as const) {
      const { pid, jobsPid, closed } = await start(id, 'while :; do sleep 0.1; done', prelude)
      process.kill(isGroup ? -pid : pid, signal)
      await closed
      if (!isGroup) process.kill(jobsPid)
      const { outcome, exitCode, body } = await lastRun(id)
      assert.deepEqual([outcome, exitCode], ['failed', null], id)
      // The shell of the job may say how its own child ended.
      assert.match(body, /^41 GB\n/, id)
      assert.equal((await worker.component(id)).lastReportedStatus, 'outage', id)
    }
    for (const [id, exitCode, outcome] of [
      ['good', 0, 'succeeded'],
      ['bad', 3, 'failed'],
    ] as const) {
      const { closed } = await start(id, `exit ${exitCode}`)
      assert.deepEqual(await closed, [exitCode, null])
      const run = await lastRun(id)
      assert.deepEqual([run.outcome, run.exitCode], [outcome, exitCode])
    }
    await worker.close()
    folder.remove()
  })

  it('of the reporter open no incident in two periods either', async (t) => {
    const { clock, worker, pass, incidents } = await fastWorker(t)
    const blocks = ['docs/status.md', 'client/README.md'].flatMap((path) => blocksOf(textOf(path)))
    const programsShown = blocks.filter(({ text }) => text.includes('createReporter('))
    assert.equal(programsShown.length, 2)
    const folder = temporaryFolder()
    const path = `${folder.path}/program.ts`
    // One program: both documents, the second with the reporter of the first.
    const code = programsShown
      .map(({ text }, index) => (index === 0 ? text : text.replaceAll(/^(import|const reporter) .*$/gm, '')))
      .join('')
      .replace("'menagerie/reporter'", `'${new URL('src/reporter/reporter.ts', root)}'`)
      .replace('http://127.0.0.1:3001', worker.url)
    writeFileSync(path, `const queue = { size: async () => 3 }\n${code}\nexport { reporter }\n`)
    const programs: { reporter: Reporter }[] = []
    const shown = async () => (await worker.ask('GET', '/components')).body.components
    for (let period = 0; period < 2; period++) {
      programs.push(await import(`${pathToFileURL(path)}?${period}`))
      for (let beat = 0; beat < 3; beat++) {
        await pass(minute)
        const now = new Date(clock.now()).toISOString()
        for (const id of ['queue', 'bot']) await until(async () => (await worker.component(id)).lastHeartbeatAt === now)
      }
      assert.deepEqual(await incidents(), [])
      programs[period]?.reporter.close()
      for (const id of ['queue', 'bot']) await worker.ask('DELETE', `/components/${id}`)
      await pass(sized(hour, day), longTickMs)
      const [backup] = await shown()
      assert.deepEqual([backup.componentId, backup.timeoutSeconds, backup.message], ['backup', 93_600, '41 GB'])
      assert.deepEqual(await incidents(), [])
    }
    await worker.close()
    folder.remove()
  })
})
