import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { type ObjectStage, type Put, putInto } from '../support/object-stores.ts'
import {
  type Reply,
  type RequestOptions,
  type ServiceSpec,
  startService,
  type TestService,
} from '../support/service.ts'

const owner = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: 'an owner of many images' }

export interface ImageStage {
  service: TestService
  /** Direct access to the same objects. */
  store: ObjectStore
  bucket: string
  put: Put
  ownerToken: string
  /** Asks as the owner. */
  get(path: string, options?: RequestOptions): Promise<Reply>
  upload(name: string, bytes: string | Uint8Array, type?: string): Promise<void>
  remove(name: string): Promise<void>
  /** All of a kind, through the service. */
  clear(kind: string): Promise<void>
}

/** For a `describe`: the real service on an empty bucket, and its owner; gone at the end. */
export function withImages(objects: ObjectStage, spec: ServiceSpec = {}): ImageStage {
  const stage = {} as ImageStage
  before(async () => void Object.assign(stage, await startImages(objects, spec)))
  return stage
}

/** The same for one test; `fill` puts in what is there before the service starts. */
export async function startImages(
  objects: ObjectStage,
  { fill, ...spec }: ServiceSpec & { fill?: (put: Put) => Promise<void> } = {},
): Promise<ImageStage> {
  const { store, bucket, env } = await objects.make()
  const put = putInto(store, bucket)
  await fill?.(put)
  const service = await startService({ ...spec, env: { ...env, ...owner, ...spec.env } })
  const { body } = await service.login(owner.OWNER_USERNAME, owner.OWNER_PASSWORD)
  const token = body.accessToken
  const get: ImageStage['get'] = (path, options) => service.request('GET', path, { token, ...options })

  const upload: ImageStage['upload'] = async (name, bytes, type = 'image/png') => {
    const query = new URLSearchParams({ bucketName: bucket, objectName: name })
    const { status, text } = await service.request('POST', `/admin/s3/upload?${query}`, {
      token,
      headers: { 'content-type': type },
      body: bytes,
    })
    assert.equal(status, 200, text)
  }

  const remove: ImageStage['remove'] = async (name) => {
    const body = { bucketName: bucket, objectName: name }
    const { status, text } = await service.request('DELETE', '/admin/s3/delete', { token, body })
    assert.equal(status, 200, text)
  }

  const clear: ImageStage['clear'] = async (kind) => {
    const { images } = (await get(`/images/${kind}?limit=500`)).body
    for (const { name } of images) await remove(name)
  }

  return {
    service,
    store,
    bucket,
    put,
    ownerToken: token,
    get,
    upload,
    remove,
    clear,
  }
}

/** What came back, to be compared as one value. */
export const answerOf = ({ status, body }: Reply) => [status, body]
/** A refusal of an image route. */
export const refused = (status: number, message: string) => [status, { message, stack: 'N/A' }]
