import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

export interface Balancer {
  readonly name: string
  readonly program: string
  configuration(place: { folder: string; port: number; backends: readonly number[] }): string
  arguments(file: string, folder: string): string[]
  /** Logs every start to stderr, which is then discarded. */
  readonly isNoisy?: boolean
}

export const recipes = readFileSync(new URL('../../docs/proxy.md', import.meta.url), 'utf8')

/** The first recipe in this language with these places substituted; every one must occur in it. */
export function placed(language: string, places: readonly (readonly [string, string])[]): string {
  const recipe = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(recipes)?.[1] ?? ''
  return places.reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `${language}: ${from}`)
    return result.replace(from, to)
  }, recipe)
}

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
const backend = 'server 127.0.0.1:3000 fail_timeout=1s;'

/** As docs/proxy.md configures it. */
export const nginx: Balancer = {
  name: 'nginx',
  program: '/usr/sbin/nginx',
  arguments: (file, folder) => ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
  configuration: ({ folder, port, backends }) => `
${userInfo().uid === 0 ? `user ${userInfo().username};` : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${placed('nginx', [
    ['/var/cache/menagerie', `${folder}/cache`],
    [backend, backends.map((each) => backend.replace('3000', String(each))).join('\n')],
    ['listen 80', `listen 127.0.0.1:${port}`],
  ])}
}`,
}

/** In every response by haproxy: the port of the backend. */
export const upstreamHeader = 'x-upstream-port'

/** A check may take as long as a request: an instance that is slow, like all of a busy machine, is not down. */
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
  timeout check 30s
  option redispatch 1
  retries 100
  retry-on conn-failure empty-response
  http-reuse always
frontend all
  bind 127.0.0.1:${port}
  default_backend api
  http-response set-header ${upstreamHeader} %sp
backend api
  option httpchk GET /ready
  default-server check inter 200ms fall 1 rise 1
${backends.map((backend, index) => `  server api${index} 127.0.0.1:${backend}`).join('\n')}
`,
}

/** Without TLS, unlike deploy/Caddyfile. */
export const plainCaddy: Balancer = {
  name: 'Caddy',
  program: '/usr/bin/caddy',
  isNoisy: true,
  arguments: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  configuration: ({ port, backends }) => `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy ${backends.map((backend) => `127.0.0.1:${backend}`).join(' ')}
}
`,
}

/** False, or why a test with it is skipped. Never skipped in CI. */
export const missing = ({ program }: Balancer) => !existsSync(program) && !process.env.CI && `needs ${program}`
