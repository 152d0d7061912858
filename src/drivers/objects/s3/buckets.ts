import { isBucketName } from '../../../images/bucket-name.ts'
import type { ListedObject, ListOptions, ObjectStore } from '../../../images/object-store.ts'
import { NoSuchBucket } from '../../../images/store-errors.ts'
import { type Command, isRefusal } from './command.ts'
import { readPage } from './listing.ts'
import type { SignedRequest } from './request.ts'
import { badResponse, isFromStore, Refusal, refusal } from './responses.ts'

/** Max consecutive pages without a new name: stores skip deleted objects with empty pages. */
const maxIdlePages = 1_000

export function createBuckets(
  command: Command,
  request: SignedRequest,
  region: string,
): Pick<ObjectStore, 'check' | 'bucketExists' | 'createBucket' | 'list'> {
  const listOne = (bucket: string) => list(command, bucket, { 'max-keys': '1' })

  async function statusOf(bucket: string): Promise<{ readonly status: number; readonly error: Error }> {
    const reply = await request('rest', 'HEAD', { bucket, name: '' })
    if (isFromStore(reply.headers))
      return { status: reply.status, error: refusal('HEAD of a bucket', reply.status, null, reply.headers) }
    // Any web server may respond to a HEAD like this; the response to a GET has a document.
    try {
      await listOne(bucket)
      return { status: 200, error: new Error('the bucket can be used') }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === null) throw error
      return { status: error.status, error }
    }
  }

  /** A 403 to a HEAD does not tell whether the bucket is someone else's or our credentials are wrong. */
  async function isForeign(bucket: string): Promise<boolean> {
    try {
      await listOne(bucket)
      return true
    } catch (error) {
      return isRefusal(error, 'AccessDenied', 'AllAccessDisabled')
    }
  }

  async function check(bucket: string) {
    checkGrammar(bucket)
    const { status, error } = await statusOf(bucket)
    if (status === 404) throw new NoSuchBucket(bucket)
    if (status !== 200) throw error
  }

  async function create(bucket: string, location: string | null) {
    if (location === null) return void (await command('PUT', { bucket, name: '' }))
    const body = `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${location}</LocationConstraint></CreateBucketConfiguration>`
    const headers = ['content-type', 'application/xml']
    await command('PUT', { bucket, name: '' }, { headers, body, length: Buffer.byteLength(body) })
  }

  return {
    check,
    async bucketExists(bucket) {
      if (!isBucketName(bucket)) return false
      const { status, error } = await statusOf(bucket)
      if (status === 404) return false
      // The bucket exists, but is someone else's or in another region.
      if (status === 200 || status === 301 || (status === 403 && (await isForeign(bucket)))) return true
      throw error
    },
    async createBucket(bucket) {
      if (!isBucketName(bucket)) throw new Error(`${JSON.stringify(bucket)} is not a valid bucket name`)
      const { status } = await statusOf(bucket)
      if (status === 200) return
      try {
        // AWS knows us-east-1 only as the absence of a location.
        await create(bucket, region === 'us-east-1' ? null : region).catch((error) => {
          // Stores other than AWS accept any region name, but not as a location.
          if (isRefusal(error, 'InvalidLocationConstraint')) return create(bucket, null)
          throw error
        })
      } catch (error) {
        // Someone may just have created the bucket; using it tells whether it is ours.
        if (!(error instanceof Refusal) || error.status !== 409) throw error
        await check(bucket).catch(() => {
          throw error
        })
        return
      }
      await check(bucket)
    },
    list: (bucket, options) => pagesOf(command, bucket, options),
  }
}

async function* pagesOf(
  command: Command,
  bucket: string,
  options: ListOptions,
): AsyncGenerator<readonly ListedObject[]> {
  checkGrammar(bucket)
  let token: string | undefined
  // Both are of one earlier page, at doubling distances, so that any cycle is detected.
  let keptToken: string | undefined
  let keptName: string | undefined
  let lastFolder = ''
  let idlePages = 0
  for (let number = 1; ; number++) {
    const page = await list(command, bucket, queryOf(options, token), options.signal).catch((error) => {
      throw isRefusal(error, 'NoSuchBucket') ? new NoSuchBucket(bucket) : error
    })
    const objects = checked(page, options.prefix)
    // Some stores repeat names with ever new tokens.
    const earlier = keptName
    if (objects.some(({ name }) => name === earlier)) throw endless()
    const folder = page.folders.at(-1) ?? ''
    const isIdle = objects.length === 0 && folder <= lastFolder
    idlePages = isIdle ? idlePages + 1 : 0
    if (folder > lastFolder) lastFolder = folder
    if (options.onFolder) for (const each of page.folders) options.onFolder(each)
    if (objects.length > 0) yield objects
    if (!page.isTruncated) return
    token = page.token
    if (!token || token === keptToken || idlePages > maxIdlePages) throw endless()
    if (!Number.isInteger(Math.log2(number))) continue
    keptToken = token
    keptName = objects[0]?.name ?? keptName
  }
}

const endless = () => badResponse('a listing that never ends')

function checkGrammar(bucket: string) {
  if (!isBucketName(bucket)) throw new NoSuchBucket(bucket)
}

async function list(command: Command, bucket: string, query: Record<string, string>, signal?: AbortSignal) {
  const { text } = await command('GET', { bucket, name: '' }, { query: { 'list-type': '2', ...query }, signal })
  return readPage(text)
}

const queryOf = ({ prefix, isFlat }: ListOptions, token: string | undefined) => ({
  prefix,
  // XML cannot express most control characters.
  'encoding-type': 'url',
  ...(isFlat && { delimiter: '/' }),
  ...(token !== undefined && { 'continuation-token': token }),
})

function checked({ objects }: ReturnType<typeof readPage>, prefix: string): readonly ListedObject[] {
  if (!objects.every(({ name }) => name.startsWith(prefix))) throw badResponse('a listing of another prefix')
  return objects
}
