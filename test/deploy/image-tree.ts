import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, relative, resolve } from 'node:path'

/*
 * node test/deploy/image-tree.ts <folder>: builds the image's tree without a container engine, by the Dockerfile's own
 * instructions, as root on Debian, and describes it in <folder>/image.json. In place of the base image it has only a
 * part of it: the C library, Node with what it links, npm, and the few commands that RUN uses.
 */

export interface Image {
  root: string
  env: Record<string, string>
  workdir: string
  /** Numeric, such as `1000:1000`. */
  user: string
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
}

const project = join(import.meta.dirname, '../..')
const folder = resolve(process.argv[2] ?? 'image')
const run = (file: string, args: readonly string[]) =>
  execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Copies what .dockerignore lets through: it starts with `*`. */
function copyContext(to: string): void {
  const rules = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n')
  const refused = rules.filter((rule) => rule.startsWith('**/'))
  const filter = (path: string) => !refused.some((rule) => matchesGlob(relative(project, path), rule))
  for (const rule of rules.filter((each) => each.startsWith('!')))
    cpSync(join(project, rule.slice(1)), join(to, rule.slice(1)), { recursive: true, verbatimSymlinks: true, filter })
}

function makeBase(root: string): void {
  const commands = ['sh', 'env', 'chmod', 'install', 'ln', 'rm'].map((name) => `/usr/bin/${name}`)
  const folders = ['usr/bin', 'usr/lib', 'usr/local/bin', 'usr/local/lib/node_modules', 'etc', 'root', 'home/node']
  for (const path of [...folders, 'tmp', 'proc', 'dev']) mkdirSync(join(root, path), { recursive: true })
  run('chmod', ['1777', join(root, 'tmp')])
  for (const [link, target] of Object.entries({ bin: 'usr/bin', lib: 'usr/lib', lib64: 'usr/lib' }))
    symlinkSync(target, join(root, link))
  const needed = [process.execPath, ...commands].flatMap((path) => [...run('ldd', [path]).matchAll(/(\/\S+) \(0x/g)])
  const libc = run('dpkg', ['--listfiles', 'libc6']).matchAll(/^(\/\S+\.so\.\d+)$/gm)
  const libraries = [...needed, ...libc].map(([, path = '']) => path)
  run('cp', [
    '--dereference',
    '--parents',
    ...new Set(libraries),
    ...commands,
    '/etc/ssl/certs/ca-certificates.crt',
    root,
  ])
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true })
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  cpSync(realpathSync(process.execPath), join(root, 'usr/local/bin/node'))
  const npm = dirname(dirname(realpathSync(run('which', ['npm']).trim())))
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
}

const baseEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
const users: Readonly<Record<string, string>> = { root: '0:0', node: '1000:1000' }
/** How this machine reaches the npm registry. */
const registry = Object.entries(process.env).filter(([name]) =>
  /^(npm_config_\w+|NODE_EXTRA_CA_CERTS|\w+_proxy)$/i.test(name),
)

function runInside({ root, env, workdir, user }: Image, command: string): void {
  const variables = [...registry, ...Object.entries(env)].map((each) => each.join('='))
  run(join(project, 'test/deploy/in-tree.sh'), [
    root,
    user,
    '',
    'env',
    '-i',
    '-C',
    workdir,
    ...variables,
    'sh',
    '-c',
    command,
  ])
}

/** Files of a folder go into the target, as in a container engine; all belong to root. */
function copyInside({ root, workdir }: Image, from: string, words: readonly string[]): void {
  const to = words.at(-1) ?? '.'
  const target = join(root, resolve(workdir, to))
  for (const word of words.slice(0, -1)) {
    const source = join(from, word)
    const isFolder = statSync(source).isDirectory()
    const place = isFolder || !to.endsWith('/') ? target : join(target, basename(word))
    mkdirSync(isFolder ? place : dirname(place), { recursive: true })
    run('cp', ['-dR', '--preserve=mode,timestamps', isFolder ? `${source}/.` : source, place])
  }
}

function build(): Image {
  const context = join(folder, 'context')
  mkdirSync(context, { recursive: true })
  copyContext(context)
  const stages: Record<string, Image> = {}
  let image: Image | null = null
  const lines = readFileSync(join(project, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
  for (const line of lines.split('\n').filter((each) => each !== '')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (instruction === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'final'
      image = {
        root: join(folder, name),
        env: { ...baseEnv },
        workdir: '/',
        user: '0:0',
        entrypoint: [],
        command: [],
        healthcheck: [],
      }
      stages[name] = image
      makeBase(image.root)
      continue
    }
    if (image === null) throw new Error(`expected FROM, got ${line}`)
    const list = () => JSON.parse(rest.slice(rest.indexOf('['))) as string[]
    const acts: Readonly<Record<string, (image: Image) => void>> = {
      RUN: (to) => runInside(to, rest),
      WORKDIR(to) {
        to.workdir = rest
        mkdirSync(join(to.root, rest), { recursive: true })
      },
      COPY(to) {
        const [option = '', ...words] = rest.split(' ')
        const from = stages[option.replace('--from=', '')]
        const fromStage = from && words.map((word, index) => (index < words.length - 1 ? word.slice(1) : word))
        copyInside(to, from?.root ?? context, fromStage ?? [option, ...words])
      },
      ENV: (to) => Object.assign(to.env, Object.fromEntries(rest.split(' ').map((pair) => pair.split('=')))),
      USER(to) {
        to.user = users[rest] ?? rest
      },
      HEALTHCHECK(to) {
        to.healthcheck = list()
      },
      ENTRYPOINT(to) {
        to.entrypoint = list()
      },
      CMD(to) {
        to.command = list()
      },
      ARG() {},
      VOLUME() {},
      EXPOSE() {},
    }
    const act = acts[instruction]
    if (!act) throw new Error(`unknown instruction: ${line}`)
    console.log(line.length > 120 ? `${line.slice(0, 119)}…` : line)
    act(image)
  }
  if (!stages.final) throw new Error('the Dockerfile has no final stage')
  return stages.final
}

writeFileSync(join(folder, 'image.json'), JSON.stringify(build(), null, 2))
