import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, it, mock } from 'node:test'
import type { ObjectStore, Upload } from '../../../src/images/object-store.ts'
import { isUnchanged } from '../../../src/images/store-errors.ts'
import { inPieces, never } from '../../support/object-stores.ts'
import type { Fault } from '../../support/scripted-s3.ts'
import { folderStage } from './folder/folder-stage.ts'
import { bucket, outcomeOf, place, small, stage } from './s3/s3-stage.ts'

const limit = { timeout: 30_000 }
const bytes = randomBytes(1_000_000)

const write = (store: ObjectStore, more: Partial<Upload> = {}) =>
  outcomeOf(
    store.write({ ...place, type: 'image/png', size: bytes.length, body: inPieces(bytes), signal: never, ...more }),
  )
const remove = (store: ObjectStore, more = {}) => outcomeOf(store.remove({ ...place, ...more }))

function assertUnchanged(outcome: unknown, expected: boolean, what: string) {
  assert.ok(outcome instanceof Error, `${what}: ${outcome}`)
  assert.equal(isUnchanged(outcome), expected, `${what}: ${outcome}`)
}

describe('A write or delete that S3 refused', () => {
  const html = { body: '<h1>No</h1>', type: 'text/html' }
  const answers: readonly (readonly [string, Fault, boolean])[] = [
    ['a 403', { kind: 'status', status: 403 }, true],
    ['a 400', { kind: 'status', status: 400 }, true],
    ['a 429', { kind: 'status', status: 429 }, true],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }, true],
    ['the 403 of a web server', { kind: 'status', status: 403, ...html }, true],
    ['the 404 of a web server', { kind: 'status', status: 404, ...html }, true],
    ['a 500', { kind: 'status', status: 500 }, false],
    ['a 503', { kind: 'status', status: 503 }, false],
    ['the 502 of a gateway', { kind: 'status', status: 502, ...html }, false],
    ['the 504 of a gateway', { kind: 'status', status: 504, ...html }, false],
    ['the page of a portal', { kind: 'html' }, true],
    ['an error with success', { kind: 'junk-xml' }, false],
    ['no answer', { kind: 'silent' }, false],
    ['a reset after it was done', { kind: 'lost-answer' }, false],
  ]
  for (const [what, fault, expected] of answers)
    it(`by ${what} is ${expected ? 'known to have changed nothing' : 'in doubt'}`, limit, async () => {
      for (const act of [write, remove]) {
        const { s3, store } = await stage(fault.kind === 'silent' ? { times: { firstByteMs: 500 } } : {})
        s3.next(fault)
        assertUnchanged(await act(store), expected, act.name)
      }
    })

  it('because it is away is known to have changed nothing, both at first and once that is known', limit, async () => {
    const { s3, store } = await stage({ times: { breakerOpenMs: 60_000 } })
    await s3.stop()
    for (const act of [write, remove, write, remove]) assertUnchanged(await act(store), true, act.name)
  })

  it('because the bucket is missing is known to have changed nothing', limit, async () => {
    const { store } = await stage()
    for (const missing of ['no-bucket', 'NO BUCKET']) {
      assertUnchanged(await write(store, { bucket: missing }), true, missing)
      assertUnchanged(await remove(store, { bucket: missing }), true, missing)
    }
  })

  it('before it had every byte is known to have changed nothing', limit, async () => {
    const first = bytes.subarray(0, 100_000)
    const giveUp = new AbortController()
    async function* stalled() {
      yield first
      await new Promise(() => {})
    }
    async function* left() {
      yield first
      giveUp.abort(new Error('The visitor left'))
      await new Promise(() => {})
    }
    async function* broken() {
      yield first
      throw new Error('The visitor broke off')
    }
    for (const [what, more] of [
      ['reset on the way', { body: stalled() }],
      ['of a visitor who left', { body: left(), signal: giveUp.signal }],
      ['of a visitor who left, of a size that is not known', { body: left(), signal: giveUp.signal, size: null }],
      ['of a visitor who had left', { signal: AbortSignal.abort(new Error('before')) }],
      ['broken off', { body: broken() }],
      ['broken off, of a size that is not known', { body: broken(), size: null }],
      ['too long', { size: bytes.length - 1 }],
      ['too short', { size: bytes.length + 1 }],
    ] as const) {
      const { s3, store } = await stage({ times: {} })
      if (what === 'reset on the way') s3.next({ kind: 'reset-on-put', after: 50_000 })
      assertUnchanged(await write(store, more), true, what)
      assert.ok(s3.objects.get(bucket)?.get(place.name)?.bytes.equals(small), what)
    }
  })
})

describe('A write or delete in a folder', () => {
  const on = folderStage()
  it('that is refused before the file changes is known to have changed nothing', limit, async () => {
    await on.put('fox/a.png', Buffer.from('old'))
    assertUnchanged(await outcomeOf(on.put('fox/a.png/b', bytes)), true, 'a folder that is an object')
    assertUnchanged(await outcomeOf(on.put('fox/a.png', bytes, { size: bytes.length + 1 })), true, 'too short')
    assertUnchanged(await outcomeOf(on.put('fox/a.png', bytes, { signal: AbortSignal.abort() })), true, 'gone')
    for (const act of [write, remove]) assertUnchanged(await act(on.store), true, `${act.name}: no bucket`)
    assert.equal(String(await on.bytesOf('fox/a.png')), 'old')
  })

  afterEach(() => {
    mock.restoreAll()
    syncBuiltinESMExports()
  })

  /** Root is denied nothing, and a test has no disk of its own to fill. */
  const failing = (call: 'rename' | 'unlink', code: string) => {
    const error = Object.assign(new Error(`${code}: ${call}`), { code, syscall: call })
    mock.method(fs, call, () => Promise.reject(error))
    syncBuiltinESMExports()
  }
  for (const [code, expected] of [
    ['EROFS', true],
    ['ENOSPC', true],
    ['EACCES', true],
    ['EIO', false],
    ['ESTALE', false],
  ] as const)
    it(`that ends in ${code} is ${expected ? 'known to have changed nothing' : 'in doubt'}`, limit, async () => {
      await on.put('fox/b.png', Buffer.from('old'))
      failing('unlink', code)
      assertUnchanged(await outcomeOf(on.store.remove(on.at('fox/b.png'))), expected, 'remove')
      failing('rename', code)
      assertUnchanged(await outcomeOf(on.put('fox/b.png', bytes)), expected, 'write')
      assert.equal(String(await on.bytesOf('fox/b.png')), 'old')
    })
})
