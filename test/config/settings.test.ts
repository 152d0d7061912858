import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { baseUrlOf, readConfig } from '../../src/config/config.ts'
import { BadSetting, type Setting } from '../../src/config/parser.ts'
import { sections } from '../../src/config/settings.ts'
import { targetTemplate } from '../../src/config/status-targets.ts'
import { kinds } from '../contract.ts'
import { assertProperty } from '../support/seed.ts'
import { testFolder } from '../support/test-folder.ts'

const table = Object.entries(Object.assign({}, ...Object.values(sections)) as Record<string, Setting<unknown>>)
const folder = testFolder()

const messageOf = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof BadSetting, String(error))
    assert.doesNotMatch(error.message, /[\r\n\u2028\u2029]/)
    return error.message
  }
  return ''
}

/** The table of decisions.md §1, typed again, with each default as an operator would write it. */
const defaults: Record<string, unknown> = {
  HOST: 'localhost',
  PORT: 3000,
  BASE_URL: null,
  NODE_ENV: null,
  TRUST_PROXY: null,
  CORS_ORIGINS: null,
  SITE_LOGO: null,
  SITE_NAME: 'Menagerie',
  DATA_DIR: './data',
  DATABASE_URL: null,
  REDIS_URL: null,
  JWT_SECRET: null,
  TOKEN_TTL: 30 * 86_400_000,
  S3_ENDPOINT: null,
  S3_REGION: 'us-east-1',
  S3_ACCESS_KEY_ID: null,
  S3_SECRET_ACCESS_KEY: null,
  S3_SESSION_TOKEN: null,
  S3_PATH_STYLE: true,
  S3_BUCKET: 'images',
  S3_CREATE_BUCKET: false,
  SAMPLE_IMAGES: true,
  UPLOAD_MAX_BYTES: 20 * 1024 * 1024,
  CHOOSE_IMAGES_ONLY: false,
  UPLOAD_CHECK_TYPE: false,
  UPLOAD_STRIP_METADATA: false,
  IMAGE_KINDS_EXTRA: null,
  CATALOGUE_REFRESH_SECONDS: 60,
  IMAGE_CACHE_BYTES: 128 * 1024 * 1024,
  IMAGE_SIZES: true,
  IMAGE_SIZES_MAX_BYTES: 1024 ** 3,
  MAINTAINER: 'the maintainer',
  OWNER_USERNAME: null,
  OWNER_PASSWORD: null,
  PASSWORD_MIN_LENGTH: 8,
  LOG_LEVEL: 'info',
  LOG_REQUESTS: true,
  REGISTRATION: 'open',
  USAGE_KEEP_DAYS: 90,
  AUDIT_KEEP_DAYS: 365,
  IMAGE_DETAILS_KEEP_DAYS: 7,
  RATE_LIMIT_EXEMPT_USERNAME: null,
  RATE_LIMIT_IPV6_PREFIX: 64,
  RATE_LIMIT_GLOBAL_MAX: 1000,
  RATE_LIMIT_GLOBAL_WINDOW_SECONDS: 120,
  RATE_LIMIT_GLOBAL_SLOW_AFTER: 1000,
  RATE_LIMIT_GLOBAL_SLOW_STEP_MS: 50,
  RATE_LIMIT_GLOBAL_SLOW_CAP_MS: 3000,
  RATE_LIMIT_AUTH_MAX: 50,
  RATE_LIMIT_AUTH_WINDOW_SECONDS: 900,
  RATE_LIMIT_AUTH_SLOW_AFTER: 10,
  RATE_LIMIT_AUTH_SLOW_STEP_MS: 500,
  RATE_LIMIT_AUTH_SLOW_CAP_MS: 5000,
  RATE_LIMIT_REGISTER_MAX: 3,
  RATE_LIMIT_REGISTER_WINDOW_SECONDS: 3600,
  RATE_LIMIT_REGISTER_SLOW_AFTER: 1,
  RATE_LIMIT_REGISTER_SLOW_STEP_MS: 5000,
  RATE_LIMIT_REGISTER_SLOW_CAP_MS: 60_000,
  RATE_LIMIT_LOGIN_ADDRESS_MAX: 8,
  RATE_LIMIT_LOGIN_ADDRESS_WINDOW_SECONDS: 900,
  RATE_LIMIT_LOGIN_NAME_MAX: 5,
  RATE_LIMIT_LOGIN_NAME_WINDOW_SECONDS: 900,
  RATE_LIMIT_EMBED_LINK_MAX: 600,
  RATE_LIMIT_EMBED_LINK_WINDOW_SECONDS: 60,
  RATE_LIMIT_EMBED_ADDRESS_MAX: 120,
  RATE_LIMIT_EMBED_ADDRESS_WINDOW_SECONDS: 60,
  RATE_LIMIT_SESSION_MAX: 600,
  RATE_LIMIT_SESSION_WINDOW_SECONDS: 60,
  RATE_LIMIT_REPORT_MAX: 10,
  RATE_LIMIT_REPORT_WINDOW_SECONDS: 3600,
  STATUS_HOST: '127.0.0.1',
  STATUS_PORT: 3001,
  STATUS_WORKER_URL: null,
  STATUS_SERVICE_KIND: null,
  STATUS_SERVICE_URL: null,
  STATUS_SERVICE_TOKEN: null,
  STATUS_SERVICE_COMPONENTS: null,
  STATUS_COMPONENT_PREFIX: null,
  STATUS_MAX_COMPONENTS: 1000,
  ALLOWED_HOSTS: null,
  SHUTDOWN_DELAY_SECONDS: 0,
  DATABASE_POOL_MAX: 10,
  STATUS_DATABASE_URL: null,
  STATUS_PUBLISH_SILENCE: true,
  STATUS_GET_HEARTBEATS: false,
  STATUS_PING_URL: null,
  STATUS_PAGE: 'on',
  CONSOLE: true,
  STATUS_PAGE_COMPONENTS: null,
  STATUS_PAGE_TITLE: null,
  STATUS_PAGE_DESCRIPTION: null,
  STATUS_PAGE_LOGO: null,
  STATUS_PAGE_LINK: null,
  STATUS_PAGE_COLOR: null,
  STATUS_TARGETS: null,
  STATUS_FLAP_SECONDS: 0,
  STATUS_GROUP_SECONDS: 5,
  STATUS_START_GRACE_SECONDS: 120,
  STATUS_TIMEOUTS: null,
  MAINTENANCE_TIMEOUT_SECONDS: 14_400,
  ...Object.fromEntries(Object.keys(targetTemplate).map((name) => [name, null])),
  HEARTBEAT_TIMEOUT_SECONDS: 180,
  STATUS_CHECK_INTERVAL_SECONDS: 10,
  TEST_DATABASE_URL: null,
  TEST_REDIS_URL: null,
  TEST_S3_ENDPOINT: null,
  TEST_S3_ACCESS_KEY_ID: null,
  TEST_S3_SECRET_ACCESS_KEY: null,
  TEST_SWIFT_ENDPOINT: null,
  TEST_SWIFT_ACCESS_KEY_ID: null,
  TEST_SWIFT_SECRET_ACCESS_KEY: null,
}

describe('The settings', () => {
  it('have the documented defaults', () => {
    const { STATUS_ALLOW, STATUS_ADMIN_ALLOW, METRICS_ALLOW, IMAGE_WIDTHS, imageKinds, statusTargets, ...rest } =
      readConfig({})
    for (const [name, value] of Object.entries(defaults)) assert.equal(rest[name as keyof typeof rest], value, name)
    assert.deepEqual(STATUS_ALLOW.cidrs, ['127.0.0.0/8', '::1', '172.16.0.0/12', 'fd00::/8'])
    assert.deepEqual(STATUS_ADMIN_ALLOW.cidrs, ['127.0.0.0/8', '::1'])
    assert.deepEqual(METRICS_ALLOW.cidrs, ['127.0.0.0/8', '::1'])
    assert.deepEqual(IMAGE_WIDTHS, [160, 320, 640, 960, 1280, 1920])
    assert.deepEqual([...imageKinds], kinds)
    assert.deepEqual(statusTargets, [])
    assert.deepEqual(
      Object.keys(rest).filter((name) => !Object.hasOwn(defaults, name)),
      [],
    )
  })

  it('are marked as secret if they are', () => {
    const secrets = table.filter(([, { secret }]) => secret).map(([name]) => name)
    const expected = [
      ...['DATABASE_URL', 'JWT_SECRET', 'OWNER_PASSWORD', 'REDIS_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
      ...['S3_SESSION_TOKEN', 'STATUS_SERVICE_COMPONENTS', 'STATUS_SERVICE_TOKEN', 'TEST_DATABASE_URL'],
      ...['TEST_REDIS_URL', 'TEST_S3_ACCESS_KEY_ID', 'TEST_S3_SECRET_ACCESS_KEY', 'TEST_SWIFT_ACCESS_KEY_ID'],
      ...['TEST_SWIFT_SECRET_ACCESS_KEY'],
    ]
    assert.deepEqual(
      expected.filter((name) => !secrets.includes(name)),
      [],
    )
  })

  for (const [name, spec] of table) {
    it(`${name} counts as unset when it is empty, and has a help text`, () => {
      const unset = readConfig({})[name as 'PORT']
      const empty = readConfig({ [name]: '', [`${name}_FILE`]: '' })[name as 'PORT']
      assert.deepEqual(JSON.stringify(empty), JSON.stringify(unset))
      assert.match(spec.help, /^[A-Z].*\.$/)
    })
  }

  for (const [name, spec] of table) {
    const bad = ['nonsense value', '-1', '\u0000', 'x'].find((text) => spec.format.read(text) === undefined)
    if (bad === undefined) continue
    it(`${name} ends the start with an invalid value, in one line with its name and the expected form`, () => {
      const message = messageOf({ [name]: bad })
      assert.ok(message.startsWith(`${name}: expected ${spec.format.expected}, got `), message)
      assert.equal(message.includes(JSON.stringify(bad)), !spec.secret)
    })
  }
})

describe('An invalid setting', () => {
  it('is never shown if it may hold a secret', () => {
    const secret = 'hunter2'
    for (const name of table.map(([each]) => each)) {
      for (const value of [
        `https://user:${secret}@host/x?`,
        `https:user:${secret}@host`,
        `x://host/?key=${secret}`,
        `mysql://u:${secret}@h`,
      ]) {
        assert.doesNotMatch(messageOf({ [name]: value }), /hunter2/, `${name}=${value}`)
      }
      const isSecret = table.find(([each]) => each === name)?.[1].secret
      if (isSecret) assert.doesNotMatch(messageOf({ [name]: `${secret} ` }), /hunter2/, name)
    }
  })

  it('is truncated if it is long, and stays on one line whatever it contains', () => {
    const message = messageOf({ PORT: `30\n00${'x'.repeat(5000)}` })
    assert.ok(message.length < 200 && message.includes('30\\n00xxx'), message)
    assertProperty(fc.property(fc.string(), (text) => messageOf({ PORT: text, LOG_LEVEL: text }).length < 700))
  })

  for (const [name, values] of Object.entries({
    SITE_LOGO: ['logo', 'logo.svg', ' '],
    SITE_NAME: [' ', 'x'.repeat(61), 'two\nlines', 'a\u0007bell', 'a\u202eturned name'],
    PORT: [
      ...[
        ...['0', '65536', '-1', '3e3', '0x10', '3000.0', ' 3000'],
        ...['3000 ', '+3000', '３０００', '3000\n', 'true', '1e309'],
      ],
    ],
    UPLOAD_MAX_BYTES: ['0', '20MB', '1_000', '999999999999999999999'],
    TOKEN_TTL: ['30', 'd', '0s', '-1d', '1.5h', '30D', '30 d', '3651d', '30d12h', '1w'],
    USAGE_KEEP_DAYS: ['0', '36501', '90d', '1.5'],
    AUDIT_KEEP_DAYS: ['0', '36501', '365d', 'forever'],
    IMAGE_DETAILS_KEEP_DAYS: ['0', '36501', '7d'],
    SAMPLE_IMAGES: ['1', '0', 'yes', 'TRUE', 'on'],
    LOG_LEVEL: ['INFO', 'verbose', 'silent'],
    BASE_URL: [
      ...['example.org', '/images', 'ftp://example.org', 'https://example.org/?a=1', 'https://example.org/#a'],
      ...['https://', 'javascript:alert(1)'],
    ],
    DATABASE_URL: ['mysql://localhost/x', 'localhost:5432', 'postgres'],
    REDIS_URL: ['http://localhost'],
    JWT_SECRET: ['x'.repeat(31), 'é'.repeat(15)],
    TRUST_PROXY: ['1', 'true', 'loopback,nonsense', ',', '10.0.0.0/40'],
    STATUS_ALLOW: ['localhost', ' , '],
    STATUS_ADMIN_ALLOW: ['api-1', '10.0.0.0/33'],
    METRICS_ALLOW: ['localhost', '10.0.0.0/33'],
    CORS_ORIGINS: [
      ...['example.org', 'https://example.org/', 'https://example.org,', '*, https://example.org', 'null'],
      ...['https://EXAMPLE.org', 'https://*.example.org', 'https://*', 'https://example.*', 'https://.example.org'],
      ...['https://example..org', 'https://example.org:*', 'https://example.org, https://*.example.org'],
      ...['ftp://example.org', 'wss://example.org'],
    ],
    IMAGE_WIDTHS: [
      '0',
      '16384',
      '320,320',
      '320,',
      '320 640',
      '1.5',
      Array.from({ length: 21 }, (_, i) => i + 1).join(),
    ],
    IMAGE_KINDS_EXTRA: [
      ...['Cat', 'cat,', ',', 'cat,cat', 'cat;dog', 'a b', 'a_b', 'a.b', 'a/b', '..', 'ı', 'İ', 'ｃat', 'random'],
      ...['cat,fox', '__proto__', 'x'.repeat(33), Array.from({ length: 192 }, (_, n) => n).join()],
    ],
    S3_BUCKET: ['ab', 'Images', '-images', 'a/b', '..', 'x'.repeat(64)],
    OWNER_USERNAME: ['ab', 'a b', 'x'.repeat(33)],
    HOST: ['a b', 'http://localhost', '-x', 'a/b'],
    STATUS_SERVICE_KIND: ['Native', 'pager'],
    STATUS_SERVICE_URL: [
      ...['example.org', 'ftp://example.org', 'https://example.org/#a', 'https://me@example.org'],
      ...['https://me:x@h/?a=1'],
    ],
    STATUS_WORKER_URL: ['https://example.org/?a=1', 'http://a,', 'http://a http://b'],
    STATUS_COMPONENT_PREFIX: ['-eu', 'e u', 'eu/', 'ü-', 'x'.repeat(33)],
    STATUS_TARGETS: ['default', 'Pager', 'a,a', 'a,', '1a', 'a-b', 'a'.repeat(33)],
    STATUS_SERVICE_COMPONENTS: ['api=', '=x', 'api=a,api=b', '-a=b', 'api=a b', 'api=a,'],
  })) {
    it(`is any of these for ${name}: ${values.map((value) => JSON.stringify(value.slice(0, 20))).join(', ')}`, () => {
      for (const value of values)
        assert.match(messageOf({ [name]: value }), new RegExp(`^${name}: expected `), JSON.stringify(value))
    })
  }
})

describe('A URL in a setting', () => {
  for (const name of ['BASE_URL', 'S3_ENDPOINT', 'STATUS_WORKER_URL', 'STATUS_SERVICE_URL'])
    for (const credentials of ['somebody', ':hunter2', 'somebody:hunter2'])
      it(`is refused with credentials, which are not shown: ${name}=https://${credentials}@…`, () => {
        const message = messageOf({ [name]: `https://${credentials}@example.org/path` })
        assert.match(
          message,
          new RegExp(`^${name}: expected an absolute http or https URL without .*credentials.*, got `),
        )
        assert.doesNotMatch(message, /somebody|hunter2/)
      })
})

describe('A valid setting', () => {
  for (const [name, written, read] of [
    ['PORT', '1', 1],
    ['PORT', '65535', 65_535],
    ['PORT', '08080', 8080],
    ['TOKEN_TTL', '1s', 1000],
    ['TOKEN_TTL', '15m', 900_000],
    ['TOKEN_TTL', '12h', 43_200_000],
    ['TOKEN_TTL', '3650d', 3650 * 86_400_000],
    ['RATE_LIMIT_LOGIN_NAME_MAX', '0', 0],
    ['BASE_URL', 'https://Example.ORG:443/a/b/', 'https://example.org/a/b'],
    ['BASE_URL', 'http://[::1]:3000', 'http://[::1]:3000'],
    ['STATUS_WORKER_URL', 'http://127.0.0.1:3001/', ['http://127.0.0.1:3001']],
    ['STATUS_WORKER_URL', 'http://a:1/, http://b:2/x', ['http://a:1', 'http://b:2/x']],
    ['STATUS_SERVICE_URL', 'https://example.org/hooks/?key=1', 'https://example.org/hooks/?key=1'],
    ['DATABASE_URL', 'postgresql://u:p@h:5432/x?sslmode=require', 'postgresql://u:p@h:5432/x?sslmode=require'],
    ['REDIS_URL', 'rediss://h:6380/1', 'rediss://h:6380/1'],
    ['JWT_SECRET', 'é'.repeat(16), 'é'.repeat(16)],
    ['HOST', '::', '::'],
    ['HOST', 'my-host.example', 'my-host.example'],
    ['S3_PATH_STYLE', 'false', false],
    ['CORS_ORIGINS', '*', '*'],
    ['IMAGE_KINDS_EXTRA', 'cat, 3d,-,constructor', ['cat', '3d', '-', 'constructor']],
  ] as const) {
    it(`is parsed: ${name}=${written}`, () => {
      assert.deepEqual((readConfig({ [name]: written }) as Record<string, unknown>)[name], read)
    })
  }

  it('may be a list of origins', () => {
    const origins = [
      ...['https://a.example', 'http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:8443', 'http://my_host.'],
    ]
    assert.deepEqual(readConfig({ CORS_ORIGINS: origins.join(' , ') }).CORS_ORIGINS, origins)
  })

  it('ignores BASE_URL only with exactly NODE_ENV=development', () => {
    const base = (NODE_ENV: string) => baseUrlOf(readConfig({ NODE_ENV, BASE_URL: 'https://a.example/x/' }), 4000)
    assert.deepEqual(['development', 'Development', 'production', ''].map(base), [
      'http://localhost:4000',
      ...Array(3).fill('https://a.example/x'),
    ])
  })
})

describe('A secret read from a file', () => {
  const file = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const secret = 'a secret that is long enough for all'

  for (const [name] of table.filter(([, spec]) => spec.secret)) {
    it(`is accepted for ${name}`, () => {
      const byName: Record<string, string> = {
        DATABASE_URL: 'postgres://h/x',
        REDIS_URL: 'redis://h',
        COMPONENTS: 'a=b',
        '>_URL': 'https://h/x',
        PING_URL: 'https://h/x',
      }
      const value = Object.entries(byName).find(([end]) => name.endsWith(end))?.[1] ?? secret
      const env = {
        [`${name}_FILE`]: file(name, `${value}\n`),
        ...(name === 'OWNER_PASSWORD' && { OWNER_USERNAME: 'owner' }),
      }
      const found: unknown = readConfig(env)[name as 'JWT_SECRET']
      assert.equal(found instanceof Map ? [...found].map((pair) => pair.join('=')).join() : found, value)
    })
  }

  it('loses exactly one trailing newline, LF or CRLF', () => {
    for (const [content, expected] of [
      [`${secret}\r\n`, secret],
      [`${secret}\n\n`, `${secret}\n`],
      [` ${secret} `, ` ${secret} `],
    ] as const) {
      assert.equal(readConfig({ JWT_SECRET_FILE: file('ends', content) }).JWT_SECRET, expected)
    }
  })

  it('is refused if the variable is set as well, or if the file is missing, empty, a folder, or holds an invalid value', () => {
    mkdirSync(join(folder, 'folder'))
    const both = { JWT_SECRET: secret, JWT_SECRET_FILE: file('both', secret) }
    assert.equal(messageOf(both), 'JWT_SECRET and JWT_SECRET_FILE are both set; remove one')
    assert.match(
      messageOf({ JWT_SECRET_FILE: '/nowhere/at/all' }),
      /^JWT_SECRET_FILE: expected a readable file, got "\/nowhere\/at\/all" \(ENOENT\)$/,
    )
    assert.match(messageOf({ JWT_SECRET_FILE: join(folder, 'folder') }), /EISDIR/)
    assert.match(messageOf({ JWT_SECRET_FILE: file('empty', '\n') }), /^JWT_SECRET_FILE: expected a file with a value/)
    assert.match(
      messageOf({ JWT_SECRET_FILE: file('short', 'hunter2') }),
      /^JWT_SECRET: expected at least 32 bytes of UTF-8, got an invalid value$/,
    )
  })

  it('is not supported for settings that are not secrets', () => {
    assert.equal(readConfig({ PORT_FILE: '/nowhere' }).PORT, 3000)
  })
})
