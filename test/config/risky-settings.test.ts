import assert from 'node:assert/strict'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { riskySettings } from '../../src/config/risky-settings.ts'
import { testFolder } from '../support/test-folder.ts'

describe('The warnings about valid settings', () => {
  const before = process.cwd()
  beforeEach(() => process.chdir(testFolder()))
  afterEach(() => process.chdir(before))

  const write = (name: string, mode: number) => {
    const path = join(process.cwd(), name)
    writeFileSync(path, 'hunter2\n')
    chmodSync(path, mode)
    return path
  }

  it('name a secret file or .env that other users may read, and none that only its owner and group may', () => {
    const [open, group] = [write('open', 0o604), write('group', 0o640)]
    symlinkSync(open, 'link')
    write('.env', 0o644)
    const env = {
      JWT_SECRET_FILE: open,
      DATABASE_URL_FILE: group,
      REDIS_URL_FILE: '/nonexistent',
      PORT_FILE: open,
      STATUS_TARGETS: 'ops',
      STATUS_TARGET_OPS_TOKEN_FILE: 'link',
      OWNER_PASSWORD_FILE: '',
    }
    const warning = (name: string, path: string) => ({
      name,
      message: `${name}: other users of this machine may read ${join(process.cwd(), path)}; run chmod o= on it`,
    })
    assert.deepEqual(riskySettings(env), [
      warning('.env', '.env'),
      warning('JWT_SECRET_FILE', 'open'),
      warning('STATUS_TARGET_OPS_TOKEN_FILE', 'link'),
    ])
    chmodSync('.env', 0o640)
    assert.deepEqual(riskySettings({ DATABASE_URL_FILE: group }), [])
  })

  it('name what .env cuts off at a #, and neither what is in quotes nor what has a blank before its comment', () => {
    writeFileSync(
      '.env',
      `STATUS_PAGE_COLOR=#0a6652
export DATABASE_URL = postgres://u:hunter#2@host/db # ours
PORT=3000 # as before
HOST = "a#b"
JWT_SECRET= 'x
PORT=1#2
'
MAINTAINER='a' #b
#S3_BUCKET=a#b
SITE_NAME=
`,
      { mode: 0o600 },
    )
    const ending = 'in .env, a comment begins at #; put the value in quotes if it contains #'
    assert.deepEqual(
      riskySettings({}),
      ['STATUS_PAGE_COLOR', 'DATABASE_URL'].map((name) => ({ name, message: `${name}: ${ending}` })),
    )
  })

  it('name what .env has more than once, and not what stands in a value or a comment', () => {
    writeFileSync(
      '.env',
      "SITE_NAME=a\nMAINTAINER='\nSITE_NAME=b\n'\n#PORT=1\nPORT=2\nexport SITE_NAME = c\nFOO=1\nFOO=2\n",
      {
        mode: 0o600,
      },
    )
    assert.deepEqual(riskySettings({}), [
      { name: 'SITE_NAME', message: 'SITE_NAME: in .env, it is set more than once; of these, the last one counts' },
    ])
  })

  it('name a TRUST_PROXY that trusts every address', () => {
    const shown = (TRUST_PROXY: string) => riskySettings({ TRUST_PROXY }).map(({ message }) => message.slice(0, 50))
    assert.deepEqual(shown('0.0.0.0/0'), ['TRUST_PROXY: 0.0.0.0/0 trusts every address: each '])
    assert.deepEqual(shown('loopback, ::/0'), ['TRUST_PROXY: ::/0 trusts every address: each clien'])
    for (const text of ['', 'loopback', '10.0.0.0/8, ::1', '0.0.0.0/1', 'x/0']) assert.deepEqual(shown(text), [], text)
  })

  it('name a port that is that of both programs', () => {
    const shown = (env: Record<string, string>) => riskySettings(env).map(({ message }) => message.slice(0, 34))
    assert.deepEqual(shown({ PORT: '8080', STATUS_PORT: '8080' }), ['STATUS_PORT: 8080 is PORT too; on '])
    assert.deepEqual(shown({ PORT: '3001' }), ['STATUS_PORT: 3001 is PORT too; on '])
    for (const HOST of ['::', '0.0.0.0', '127.0.0.1', '127.1'])
      assert.equal(shown({ HOST, PORT: '3001' }).length, 1, HOST)
    for (const env of [{}, { PORT: '8080' }, { PORT: 'x', STATUS_PORT: '8080' }, { HOST: '127.0.0.2', PORT: '3001' }])
      assert.deepEqual(shown(env), [])
  })

  it('name kinds that have the names of routes', () => {
    const shown = (IMAGE_KINDS_EXTRA: string) =>
      riskySettings({ IMAGE_KINDS_EXTRA }).map(({ message }) => message.slice(0, 50))
    assert.deepEqual(shown('cat,tags'), ['IMAGE_KINDS_EXTRA: tags is reserved; the images ar'])
    assert.deepEqual(shown('report,tags'), ['IMAGE_KINDS_EXTRA: report and tags are reserved; t'])
    for (const text of ['', 'cat,tag']) assert.deepEqual(shown(text), [], text)
  })

  it('name the reminders of targets that are never reminded', () => {
    const env = {
      STATUS_TARGETS: 'hook,phone,other',
      STATUS_TARGET_HOOK_KIND: 'webhook',
      STATUS_TARGET_HOOK_REMINDER: '4h',
      STATUS_TARGET_PHONE_KIND: 'ntfy',
      STATUS_TARGET_PHONE_REMINDER: '4h',
      STATUS_TARGET_OTHER_KIND: 'kener',
    }
    const message = 'STATUS_TARGET_HOOK_REMINDER is ignored: webhook is not reminded'
    assert.deepEqual(riskySettings(env), [{ name: 'STATUS_TARGET_HOOK_REMINDER', message }])
  })

  it('name what does nothing: keys of no store, another spelling of sslmode, and ~ for a home folder', () => {
    const shown = (env: Record<string, string>) => riskySettings(env).map(({ message }) => message)
    const keys = { S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY_FILE: '/none' }
    assert.deepEqual(
      shown(keys),
      ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].map(
        (name) => `${name} is ignored: without S3_ENDPOINT, the images are in DATA_DIR`,
      ),
    )
    assert.deepEqual(shown({ ...keys, S3_ENDPOINT: 'https://s3.example.org' }), [])
    for (const wrong of ['ssl_mode', 'sslMode', 'SSL-MODE'])
      assert.deepEqual(shown({ DATABASE_URL: `postgres://a:b@c/d?${wrong}=verify-full` }), [
        `DATABASE_URL: ${wrong} is ignored; the parameter is sslmode`,
      ])
    for (const STATUS_DATABASE_URL of ['postgres://c/d?sslmode=require&ssl=true', 'postgres://c/d', 'x'])
      assert.deepEqual(shown({ STATUS_DATABASE_URL }), [])
    const home = `DATA_DIR: ~ is not your home here, but a folder of that name: ${resolve('~/data')}`
    assert.deepEqual([shown({ DATA_DIR: '~/data' }), shown({ DATA_DIR: 'data~' })], [[home], []])
  })
})
