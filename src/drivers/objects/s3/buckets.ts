import { isBucketName } from '../../../images/bucket-name.ts'
import type { ListedObject, ListOptions, ObjectStore } from '../../../images/object-store.ts'
import { NoSuchBucket } from '../../../images/store-errors.ts'
import { isRefusal, type S3Client } from './client.ts'
import { badResponse, bareEtag, codeOf, isFromStore, maxResponseBytes, Refusal, refusal } from './responses.ts'
import type { SignedRequest } from './sign.ts'

type Page = Awaited<ReturnType<S3Client['list']>>

/** Max consecutive empty pages: stores skip deleted objects that way. */
const maxEmptyPages = 1_000

export function createBuckets(
  client: S3Client,
  request: SignedRequest,
): Pick<ObjectStore, 'check' | 'bucketExists' | 'createBucket' | 'list'> {
  async function statusOf(bucket: string): Promise<{ readonly status: number; readonly error: Error }> {
    const reply = await request('rest', 'HEAD', { bucket, name: '' })
    if (isFromStore(reply.headers))
      return { status: reply.status, error: refusal('HEAD of a bucket', reply.status, null, reply.headers) }
    // Any web server may respond to a HEAD like this; the response to a GET has a document.
    try {
      checkPage(await client.list({ Bucket: bucket, MaxKeys: 1 }))
      return { status: 200, error: new Error('the bucket can be used') }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === null) throw error
      return { status: error.status, error }
    }
  }

  /** A 403 to a HEAD does not tell whether the bucket is someone else's or our credentials are wrong. */
  async function isForeign(bucket: string): Promise<boolean> {
    try {
      await client.list({ Bucket: bucket, MaxKeys: 1 })
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

  /** Creates it without a region, which the SDK cannot do. */
  async function makeAnywhere(bucket: string) {
    const reply = await request('rest', 'PUT', { bucket, name: '' })
    if (reply.status !== 200) throw refusal('PUT of a bucket', reply.status, await codeOf(reply), reply.headers)
    await reply.body.upTo(maxResponseBytes)
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
        await client.create({ Bucket: bucket }).catch((error) => {
          // Stores other than AWS accept any region name, but not as a location.
          if (isRefusal(error, 'InvalidLocationConstraint')) return makeAnywhere(bucket)
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
    list: (bucket, options) => pagesOf(client, bucket, options),
  }
}

async function* pagesOf(client: S3Client, bucket: string, options: ListOptions): AsyncGenerator<ListedObject[]> {
  checkGrammar(bucket)
  let token: string | undefined
  let kept: string | undefined
  let emptyPages = 0
  for (let number = 1; ; number++) {
    const page = await client.list(query(bucket, options, token), options.signal).catch((error) => {
      throw isRefusal(error, 'NoSuchBucket') ? new NoSuchBucket(bucket) : error
    })
    checkPage(page)
    const objects = objectsOf(page, options.prefix)
    emptyPages = objects.length + (page.CommonPrefixes?.length ?? 0) === 0 ? emptyPages + 1 : 0
    if (objects.length > 0) yield objects
    if (page.IsTruncated !== true) return
    token = page.NextContinuationToken
    // One earlier token is kept, at doubling distances, so that any cycle is detected.
    if (!token || token === kept || emptyPages > maxEmptyPages) throw badResponse('a listing that never ends')
    if (Number.isInteger(Math.log2(number))) kept = token
  }
}

function checkGrammar(bucket: string) {
  if (!isBucketName(bucket)) throw new NoSuchBucket(bucket)
}

const query = (bucket: string, { prefix, isFlat }: ListOptions, token: string | undefined) => ({
  Bucket: bucket,
  Prefix: prefix,
  // XML cannot express most control characters.
  EncodingType: 'url' as const,
  ...(isFlat ? { Delimiter: '/' } : {}),
  ...(token === undefined ? {} : { ContinuationToken: token }),
})

/** The SDK takes any XML for an empty page. */
function checkPage({ IsTruncated, Name }: Page) {
  if (typeof IsTruncated !== 'boolean' || Name === undefined) throw badResponse('not a listing')
}

function objectsOf({ Contents = [], EncodingType }: Page, prefix: string): ListedObject[] {
  return Contents.map(({ Key, ETag, Size, LastModified }) => {
    const name = Key !== undefined && EncodingType === 'url' ? decoded(Key) : Key
    // Some stores list milliseconds, which their headers lack.
    const modified = Math.floor((LastModified?.getTime() ?? Number.NaN) / 1000) * 1000
    const isWhole = ETag !== undefined && Number.isSafeInteger(Size) && !Number.isNaN(modified)
    if (!name?.startsWith(prefix) || !isWhole) throw badResponse('a listing with an incomplete object')
    return { name, etag: bareEtag(ETag), size: Size as number, modified }
  })
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch (error) {
    throw badResponse('a key that cannot be decoded', error)
  }
}
