import assert from 'node:assert/strict'
import type { ImageOverrides } from '../../src/api/image-parts.ts'
import { fakeClock } from '../support/clock.ts'
import { patientTimes } from '../support/s3-times.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { type Reply, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const owner = { username: 'keeper', password: 'correct horse of the keeper' }

/** The real service over a scripted S3 that has these images, by name: `text` is what the image is. */
export async function startOver(
  names: readonly string[],
  {
    env = {},
    breakerOpenMs,
    ...images
  }: ImageOverrides & { env?: Record<string, string>; breakerOpenMs?: number } = {},
) {
  const s3 = await ScriptedS3.open('images')
  for (const name of names) s3.put('images', name, textOf(name), { type: 'image/png' })
  const clock = fakeClock(Date.now())
  const times = { ...patientTimes, ...(breakerOpenMs !== undefined && { breakerOpenMs }) }
  const service = await startService({
    env: {
      S3_ENDPOINT: s3.endpoint,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
      OWNER_USERNAME: owner.username,
      OWNER_PASSWORD: owner.password,
      ...env,
    },
    overrides: { clock, images: { readsShapes: false, ...images, storeTimes: times } },
  })
  const { accessToken: token } = (await service.login(owner.username, owner.password)).body
  const get = (path: string, method = 'GET'): Promise<Reply> => service.request(method, path, { token })
  const kinds = [...new Set(names.map((name) => name.split('/', 1)[0] as string))]
  const here = {
    s3,
    service,
    token: token as string,
    clock,
    times,
    get,
    upload: (name: string, bytes: string) =>
      service.request('POST', `/admin/s3/upload?bucketName=images&objectName=${name}`, {
        token,
        headers: { 'content-type': 'image/png' },
        body: bytes,
      }),
    remove: (name: string) =>
      service.request('DELETE', '/admin/s3/delete', { token, body: { bucketName: 'images', objectName: name } }),
    async listed(kind: string): Promise<string[]> {
      const { body } = await get(`/images/${kind}?limit=500`)
      return body.images.map(({ name }: { name: string }) => name)
    },
    /** Into memory. */
    async hold(...names: readonly string[]) {
      for (const name of names) assert.equal((await get(`/i/${name}`)).text, textOf(name))
    },
  }
  for (const kind of kinds) {
    const expected = names.filter((name) => name.startsWith(`${kind}/`))
    await until(async () => (await here.listed(kind)).length === expected.length)
  }
  return here
}

export const textOf = (name: string) => `the bytes of ${name}`
