import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { get, openConnection } from './connection.ts'
import { bucket } from './images-pool.ts'

const program = '/usr/sbin/nginx'

export interface Nginx {
  readonly version: string
  readonly port: number
  /** Of its workers: the one that only watches them does no work. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** Serves /static/ from a folder, /proxy/ from the store and /cached/ from its copies of that. Rejects where it cannot be had. */
export async function startNginx(
  folder: string,
  { images, endpoint }: { readonly images: string; readonly endpoint: string },
): Promise<Nginx> {
  if (!existsSync(program)) throw new Error('nginx is not installed')
  const port = await freePort()
  const place = await mkdtemp(join(folder, 'nginx-'))
  await writeFile(join(place, 'nginx.conf'), configuration({ place, port, images, endpoint }))
  const child = spawn(program, ['-p', place, '-c', join(place, 'nginx.conf'), '-e', join(place, 'error.log')], {
    cwd: place,
    stdio: 'ignore',
  })
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  try {
    await untilReady(child, port)
  } catch (error) {
    kill()
    throw error
  }
  return {
    port,
    version: await versionOf(),
    pids: workersOf(child.pid ?? 0),
    async stop() {
      process.off('exit', kill)
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    },
  }
}

interface Places {
  readonly place: string
  readonly port: number
  readonly images: string
  readonly endpoint: string
}

/** With a log of its requests, as every one in this table has it, and buffers that take a whole image. */
function configuration({ place, port, images, endpoint }: Places): string {
  const { uid, username } = userInfo()
  return `
${uid === 0 ? `user ${username};` : ''}
daemon off;
worker_processes 1;
pid ${place}/nginx.pid;
error_log ${place}/error.log;
events { worker_connections 1024; }
http {
  types { image/jpeg jpg; }
  access_log ${place}/access.log;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=1000;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${place}/${name};`).join(' ')}
  proxy_cache_path ${place}/cache keys_zone=images:10m use_temp_path=off;
  proxy_buffers 32 8k;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  upstream store { server ${new URL(endpoint).host}; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location = /ready { add_header Content-Length 0; return 200; }
    location /static/ { alias ${images}/; }
    location /proxy/ { proxy_pass http://store/${bucket}/; }
    location /cached/ { proxy_pass http://store/${bucket}/; proxy_cache images; proxy_cache_valid 200 1h; }
  }
}
`
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline && child.exitCode === null) {
    const connection = await openConnection(port).catch(() => undefined)
    const reply = await connection?.send(get('/ready')).catch(() => undefined)
    connection?.close()
    if (reply?.status === 200) return
    await sleep(20)
  }
  throw new Error(
    `nginx does not answer: ${child.exitCode === null ? 'no 200 within 10 s' : `it ended with ${child.exitCode}`}`,
  )
}

function workersOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('worker process'))
}

async function versionOf(): Promise<string> {
  const child = spawn(program, ['-v'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  for await (const piece of child.stderr) text += piece
  return text.trim().replace(/^.*\//, '')
}
