import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unknownVariables } from '../../src/config/unknown-variables.ts'

const nearest = (env: Record<string, string>) =>
  Object.fromEntries(unknownVariables(env).map((found) => [found.name, found.nearest]))

describe('A variable that looks like a setting but is not one', () => {
  it('is detected within one edit of any name, in other case, or by a prefix, and reported with the nearest name', () => {
    const expected = {
      PROT: 'PORT',
      site_name: 'SITE_NAME',
      PORTT: 'PORT',
      HST: 'HOST',
      NODE_EN: 'NODE_ENV',
      JWT_SECRETS: 'JWT_SECRET',
      BASE_URI: 'BASE_URL',
      RATE_LIMIT_GLOBLA_MAX: 'RATE_LIMIT_GLOBAL_MAX',
      RATE_LIMIT_GLOBAL_MAXIMUM: 'RATE_LIMIT_GLOBAL_MAX',
      DATABASE_POOL: 'DATABASE_POOL_MAX',
      JWT_SECRET_FIL: 'JWT_SECRET_FILE',
      STATUS_FLAPS_SECONDS: 'STATUS_FLAP_SECONDS',
      OWNER_NAME: 'OWNER_USERNAME',
      UPLOAD_DIR: 'UPLOAD_MAX_BYTES',
    }
    assert.deepEqual(nearest(Object.fromEntries(Object.keys(expected).map((name) => [name, 'hunter2']))), expected)
  })

  it('may belong to a target that STATUS_TARGETS does not name, or misspell a setting of one that it names', () => {
    const env = {
      STATUS_TARGETS: 'phone',
      STATUS_TARGET_PHONE_URL: 'x',
      STATUS_TARGET_X_URL: 'x',
      STATUS_TARGET_PHON_URL: 'x',
    }
    assert.deepEqual(
      unknownVariables(env).map(({ message }) => message),
      [
        'STATUS_TARGET_X_URL is ignored: STATUS_TARGETS does not name x',
        'STATUS_TARGET_PHON_URL is not a setting; did you mean STATUS_TARGET_PHONE_URL?',
      ],
    )
  })

  it('is never one of the system, Node, npm or Kubernetes, nor an empty one', () => {
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'HOSTTYPE', 'LOGNAME', 'PORTS', 'SHELL', 'TERM', 'USER', 'LANG', 'TZ', 'PWD'],
      ...[
        'NODE_OPTIONS',
        'NODE_PATH',
        'NODE_VERSION',
        'NODE_COMPILE_CACHE',
        'npm_config_cache',
        'INIT_CWD',
        'CI',
        'PORT0',
      ],
      ...['STATUS_SERVICE_HOST', 'STATUS_SERVICE_PORT', 'STATUS_SERVICE_PORT_HTTP', 'STATUS_PORT_8080_TCP'],
      ...['STATUS_PORT_8080_TCP_ADDR', 'STATUS_WORKER_PORT', 'S3_PORT_9000_TCP_PROTO', 'KUBERNETES_SERVICE_HOST'],
    ]
    assert.deepEqual(nearest({ ...Object.fromEntries(others.map((name) => [name, 'x'])), PROT: '' }), {})
  })
})
