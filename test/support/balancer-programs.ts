import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

export interface Balancer {
  readonly name: string
  readonly program: string
  configuration(place: { folder: string; port: number; backends: readonly number[] }): string
  arguments(file: string, folder: string): string[]
  /** Reads the configuration again; left out where the balancer asks each backend by itself whether it is ready. */
  readonly reload?: NodeJS.Signals
}

export const nginx: Balancer = {
  name: 'nginx',
  program: '/usr/sbin/nginx',
  reload: 'SIGHUP',
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

export const haproxy: Balancer = {
  name: 'haproxy',
  program: '/usr/sbin/haproxy',
  arguments: (file) => ['-db', '-f', file],
  configuration: ({ port, backends }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout check 5s
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

/** False, or why a test with it is skipped; in CI it is never. */
export const missing = ({ program }: Balancer) => !existsSync(program) && !process.env.CI && `needs ${program}`
