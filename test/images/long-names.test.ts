import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { objectStores } from '../support/object-stores.ts'
import { withImages } from './admin-stage.ts'

for (const objects of objectStores)
  describe(`A name that is too long for an object, with ${objects.name}`, { skip: objects.skip }, () => {
    const { stage, owner } = withImages(objects)

    it('is not found, wherever it is', async () => {
      // A key has at most 1,024 bytes.
      for (const length of [1_020, 1_021, 1_100])
        for (const path of ['/images/fox', '/i/fox', '/admin/images/fox']) {
          const name = 'a'.repeat(length)
          const url = path === '/admin/images/fox' ? `${path}/${name}/bytes` : `${path}/${name}`
          assert.equal((await stage.service.request('GET', url, { token: owner.token })).status, 404, url)
        }
    })
  })
