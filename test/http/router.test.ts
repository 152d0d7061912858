import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Route } from '../../src/http/route.ts'
import { createRouter } from '../../src/http/router.ts'
import { assertProperty } from '../support/seed.ts'
import { kitRoute } from './kit.ts'

const route = (method: Route['method'], path: string) => kitRoute({ method, path })

const router = createRouter([
  route('GET', '/'),
  route('GET', '/health'),
  route('GET', '/health/:id'),
  route('POST', '/health/:id'),
  route('DELETE', '/health/:id'),
  route('GET', '/i/:folder/:file'),
  route('GET', '/i/fox/list'),
])
const found = (method: string, path: string) => {
  const match = router.find(method, path)
  return match === null || match === 'malformed' ? match : [match.route.path, { ...match.params }]
}

describe('The router', () => {
  for (const [method, path, expected] of [
    ['GET', '/', ['/', {}]],
    ['GET', '', null],
    ['GET', '//', null],
    ['GET', '/health', ['/health', {}]],
    ['HEAD', '/health', ['/health', {}]],
    ['get', '/health', null],
    ['POST', '/health', null],
    ['HEAD', '/health/a', ['/health/:id', { id: 'a' }]],
    ['POST', '/health/a', ['/health/:id', { id: 'a' }]],
    ['PUT', '/health/a', null],
    ['GET', '/health/', null],
    ['GET', '/health/a/', null],
    ['GET', '/health/a/b', null],
    ['GET', '/HEALTH/a', null],
    ['GET', '/health/:id', ['/health/:id', { id: ':id' }]],
    ['GET', '/health/__proto__', ['/health/:id', { id: '__proto__' }]],
    ['GET', '/health/%2e%2E', ['/health/:id', { id: '..' }]],
    ['GET', '/health/a%2Fb', ['/health/:id', { id: 'a/b' }]],
    ['GET', '/health%2Fa', null],
    ['GET', '/%2Fhealth', null],
    ['GET', '/i/fox%2Flist', null],
    ['GET', '/health/%00', ['/health/:id', { id: '\0' }]],
    ['GET', '/he%61lth', ['/health', {}]],
    ['GET', '/health/%2561', ['/health/:id', { id: '%61' }]],
    ['GET', '/i/fox/list', ['/i/fox/list', {}]],
    ['GET', '/i/fox/a.png', ['/i/:folder/:file', { folder: 'fox', file: 'a.png' }]],
    ['GET', '/i//a.png', null],
    ['constructor', '/health', null],
    ['GET', 'constructor', null],
  ] as const) {
    it(`routes ${method} ${path || '(nothing)'} to ${expected ? expected[0] : 'no route'}`, () => {
      assert.deepEqual(found(method, path), expected)
    })
  }

  for (const path of ['/%', '/%zz', '/health/%c3', '/%ff/nowhere']) {
    it(`reports the invalid encoding of ${path}`, () => {
      assert.equal(found('GET', path), 'malformed')
    })
  }

  it('restores any name that was encoded into a path', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ minLength: 1 }), (folder, file) => {
        const match = found('GET', `/i/${encodeURIComponent(folder)}/${encodeURIComponent(file)}`)
        const isListed = folder === 'fox' && file === 'list'
        assert.deepEqual(match, isListed ? ['/i/fox/list', {}] : ['/i/:folder/:file', { folder, file }])
      }),
    )
  })

  it('never throws, for any path', () => {
    assertProperty(fc.property(fc.string({ unit: 'binary-ascii' }), (path) => void router.find('GET', path)))
  })

  it('knows the methods of a path, HEAD with GET', () => {
    assert.deepEqual(router.methodsOf('/health'), ['GET', 'HEAD'])
    assert.deepEqual(router.methodsOf('/health/x'), ['GET', 'POST', 'DELETE', 'HEAD'])
    // By two routes.
    assert.deepEqual(router.methodsOf('/i/fox/list'), ['GET', 'HEAD'])
    assert.deepEqual(router.methodsOf('/nowhere'), [])
  })

  it('rejects two routes with one method and path', () => {
    assert.throws(() => createRouter([route('GET', '/a'), route('GET', '/a')]), /two routes for GET \/a/)
  })
})
