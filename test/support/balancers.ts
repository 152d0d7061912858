import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'
import { freePort } from './free-port.ts'
import { spawn } from './spawn.ts'
import { testFolder } from './test-folder.ts'
import { until } from './until.ts'

export interface Balancer {
  readonly name: string
  readonly program: string
  configuration(place: { folder: string; port: number; backends: readonly number[] }): string
  arguments(file: string, folder: string): string[]
}

const nginx: Balancer = {
  name: 'nginx',
  program: '/usr/sbin/nginx',
  arguments: (file, folder) => ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
  configuration({ folder, port, backends }) {
    const { uid, username } = userInfo()
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    return `
${uid === 0 ? `user ${username};` : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  keepalive_requests 1000000;
  upstream api {
    ${backends.map((backend) => `server 127.0.0.1:${backend};`).join(' ')}
    keepalive 256;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
  },
}

const haproxy: Balancer = {
  name: 'haproxy',
  program: '/usr/sbin/haproxy',
  arguments: (file) => ['-db', '-f', file],
  configuration: ({ port, backends }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  option redispatch 1
  retries 100
  retry-on conn-failure empty-response
  http-reuse always
frontend all
  bind 127.0.0.1:${port}
  default_backend api
backend api
  option httpchk GET /ready
  default-server check inter 200ms fall 1 rise 1
${backends.map((backend, index) => `  server api${index} 127.0.0.1:${backend}`).join('\n')}
`,
}

export const balancers = [nginx, haproxy]

/** Balances requests among these ports, over kept-alive connections; returns its own. */
export async function startBalancer(balancer: Balancer, backends: readonly number[]): Promise<number> {
  const folder = testFolder()
  const port = await freePort()
  const file = join(folder, 'balancer.conf')
  writeFileSync(file, balancer.configuration({ folder, port, backends }))
  const child = spawn(balancer.program, balancer.arguments(file, folder), {
    ...{ cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] },
    env: { ...process.env, HOME: folder },
  })
  atEnd(async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  })
  await until(() => accepts(child, port), `${balancer.name} listens`)
  return port
}

/** False, or why a test with it is skipped; in CI it is never. */
export const missing = ({ program }: Balancer) => !existsSync(program) && !process.env.CI && `needs ${program}`

async function accepts(child: ChildProcess, port: number): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`)
  const socket = connect({ port, host: '127.0.0.1' })
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
