import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { temporaryFolder } from './support/folder.ts'
import { freePort } from './support/free-port.ts'
import { makeRepository } from './support/fresh-repository.ts'
import { isFullSize } from './support/size.ts'
import { spawn } from './support/spawn.ts'
import { stores } from './support/stores.ts'
import { until } from './support/until.ts'

const root = join(import.meta.dirname, '..')
/** In the order in which a newcomer reads them: each goes on where the one before ended. */
const guides = ['keys-and-links', 'console', 'images', 'clients', 'status', 'moving', 'package']
const blocks = ['README.md', ...guides.map((name) => `docs/${name}.md`)].flatMap((path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => ({ path, language, text }),
  ),
)
const postgres = stores.find(({ name }) => name === 'PostgreSQL')

/** One shell for all blocks, as a person has it. The first command that fails ends it. */
const opening = `set -euo pipefail
curl() { command curl -f "$@"; }
begin() { setsid "$@" >>"$LOG" 2>&1 </dev/null & SERVICE=$!; while ! command curl -sf "http://localhost:$PORT/ready" >/dev/null; do kill -0 $SERVICE; sleep 0.1; done; }
end() { kill -TERM -- "-$SERVICE" || return 0; while kill -0 -- "-$SERVICE"; do sleep 0.1; done; } 2>/dev/null
trap 'end; kill $(jobs -p) 2>/dev/null' EXIT
`

describe('The README and the guides after it, pasted from top to bottom', {
  skip: !isFullSize ? 'only in npm run test:all' : false,
}, () => {
  const folder = temporaryFolder()
  const clone = join(folder.path, 'clone')
  let shell: ReturnType<typeof spawn>
  let out = ''
  let wake = () => {}
  let ports: readonly [api: number, web: number]
  let databaseUrl: string | null = null

  before(async () => {
    makeRepository(clone)
    mkdirSync(join(folder.path, 'prefix'))
    ports = [await freePort(2), await freePort()]
    databaseUrl = postgres?.skip ? null : ((await postgres?.make())?.env.DATABASE_URL ?? null)
    const [port] = ports
    const path = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'))
    const kept = Object.entries(process.env).filter(([name]) =>
      /^(HOME|LANG|NODE_EXTRA_CA_CERTS|\w+_proxy)$/i.test(name),
    )
    shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: clone,
      env: {
        ...Object.fromEntries(kept),
        PATH: [join(folder.path, 'prefix/bin'), ...path].join(delimiter),
        LOG: join(folder.path, 'service.log'),
        PORT: String(port),
        STATUS_PORT: String(port + 1),
        STATUS_WORKER_URL: `http://127.0.0.1:${port + 1}`,
        npm_config_prefix: join(folder.path, 'prefix'),
      },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    for (const stream of [shell.stdout, shell.stderr])
      stream?.on('data', (bytes) => {
        out += bytes
        wake()
      })
    shell.once('exit', () => wake())
    shell.stdin?.write(opening)
  })
  after(async () => {
    // The shell leads a process group, and ends the service, which has its own, as it exits.
    if (shell.pid !== undefined && shell.exitCode === null) {
      process.kill(-shell.pid, 'SIGTERM')
      await once(shell, 'exit')
    }
    folder.remove()
  })

  let marks = 0
  async function paste(commands: string): Promise<string> {
    const mark = `-- end of block ${++marks} --`
    const from = out.length
    shell.stdin?.write(`${commands}\necho '${mark}'\n`)
    // npm may take longer than `until` waits.
    while (!out.includes(mark, from) && shell.exitCode === null)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    const said = out.slice(from)
    const log = () => readFileSync(join(folder.path, 'service.log'), 'utf8').slice(-2_000)
    if (!said.includes(mark)) assert.fail(`${commands}\nended the shell:\n${said}\n${log()}`)
    return said
  }

  const here = (text: string) =>
    text
      .replaceAll('localhost:3000', `localhost:${ports[0]}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports[0] + 1}`)
      .replaceAll('8080', String(ports[1]))

  for (const [index, { path, language, text }] of blocks.entries()) {
    const [title = ''] = text.split('\n')
    it(`${index + 1}, ${path}: ${title}`, { timeout: 120_000 }, async (t) => {
      if (language === 'js')
        return writeFileSync(
          join(clone, text.includes('createClient') ? '../my-bot/bot.mjs' : 'backend.mjs'),
          here(text),
        )
      // What the commands print, lines of .env, the example of the reporter (test/worker/recipes.test.ts), this suite.
      if (language !== 'sh' || text.includes('npm test')) return
      if (text.includes('move --')) {
        if (databaseUrl === null) return t.diagnostic('without PostgreSQL, nothing moves')
        await paste(`${text.includes('--to env') ? 'end; ' : ''}export DATABASE_URL='${databaseUrl}'`)
      }
      // A person takes longer than the service, which reads the shapes of the samples in its first seconds.
      if (text.includes('minWidth'))
        await paste(
          `until ${here(text.split('\ncurl')[0] ?? '').replace('curl', 'command curl -f')}; do sleep 0.1; done`,
        )
      if (path === 'docs/package.md' && text.includes('npm pack')) {
        // The package needs Node 24; npm still runs.
        await paste('unset DATABASE_URL; PATH="$PWD/node_modules/.bin:$PATH"')
        if (databaseUrl === null) await paste('end')
      }
      const said = await paste(here(text).replace(/(?<=^|&& )(npm start|menagerie start)$/m, 'begin $1'))
      if (text.includes('bot.mjs')) assert.match(said, /\/i\/fox\/.*\.png$/m)
      if (text.includes('backend.mjs'))
        await until(
          () =>
            fetch(`http://127.0.0.1:${ports[1]}/`, { redirect: 'manual' }).then(
              ({ status }) => status === 302,
              () => false,
            ),
          'the backend to redirect',
        )
    })
  }

  it('leaves a service that ends', () => paste('end').then(() => {}))
})
