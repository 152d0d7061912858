import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { ask, get } from '../connection.ts'
import { type Server, startServer } from '../server.ts'

export const frameworks = ['Fastify', 'Express'] as const
export type Framework = (typeof frameworks)[number]

/** The packages of the peers are no dependencies of the project. */
export function installPeers(): void {
  if (existsSync(join(import.meta.dirname, 'node_modules'))) return
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: import.meta.dirname, stdio: 'inherit' })
}

interface Contents {
  /** Of images. */
  readonly files?: string
  readonly objects?: number
  readonly users?: number
}

export async function startFramework(
  name: Framework,
  folder: string,
  { files = folder, objects = 0, users = 0 }: Contents,
): Promise<Server> {
  const env = { FOLDER: files, OBJECTS: String(objects), USERS: String(users) }
  const dataDir = await mkdtemp(join(folder, 'peer-'))
  const script = `bench/peers/${name.toLowerCase()}.js`
  return startServer({ script, readyPath: '/ready', env: { ...env, DATA_DIR: dataDir }, folder })
}

/** One process, with its access log. */
export async function startNginx(folder: string, files: string): Promise<Server> {
  const port = await freePort()
  const own = await mkdtemp(join(folder, 'nginx-'))
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${own}/${name};`)
  const config = join(own, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${own}/pid; error_log ${own}/errors; user root;
    events { worker_connections 256; }
    http {
      ${bodies.join(' ')}
      access_log ${own}/access; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
      types { image/jpeg jpg; }
      server {
        listen 127.0.0.1:${port};
        location = /ready { return 200 ready; }
        location /i/ { alias ${files}/; add_header Cache-Control "public, max-age=3600"; }
      }
    }`,
  )
  const child = spawn('nginx', ['-c', config, '-e', `${own}/errors`], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  for (let turn = 0; ; turn += 1) {
    const isReady = await ask(port, get('/ready')).then(
      () => true,
      () => false,
    )
    if (isReady) break
    if (turn === 100) throw new Error('nginx does not answer')
    await sleep(50)
  }
  return {
    port,
    pid: child.pid ?? 0,
    readyMs: 0,
    ask: () => Promise.reject(new Error('nginx answers no questions')),
    async stop() {
      if (child.kill('SIGTERM')) await once(child, 'exit')
      process.off('exit', kill)
    },
  }
}

/** Starts servers, and stops all of them after `use`. */
export async function withServers<T>(use: (started: (starting: Promise<Server>) => Promise<Server>) => Promise<T>) {
  const servers: Server[] = []
  const started = async (starting: Promise<Server>) => {
    const server = await starting
    servers.push(server)
    return server
  }
  try {
    return await use(started)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
