import type * as Sdk from '@aws-sdk/client-s3'
import { escaped } from './address.ts'
import {
  badResponse,
  codeIn,
  codeOf,
  isFromStore,
  isHtml,
  isMarked,
  maxResponseBytes,
  NotFromStore,
  type Refusal,
  refusal,
} from './responses.ts'
import type { S3Options } from './s3.ts'
import type { Send } from './send.ts'
import type { S3Credentials } from './sign.ts'

interface SdkRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly query?: Record<string, string | string[] | null>
  readonly headers: Record<string, string>
  readonly body?: never
}

function withQuery(path: string, query: SdkRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => (each === null ? escaped(name) : `${escaped(name)}=${escaped(each)}`)),
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Swift's response to an upload that a newer one overtook: equivalent to being stored and overwritten at once. */
export class Overtaken extends Error {}

const accepted = /^<html><h1>Accepted<\/h1>/

async function respond(
  send: Send,
  { protocol, hostname, port, path, query, method, headers, body }: SdkRequest,
  signal?: AbortSignal,
) {
  const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
  const reply = await send(body ? 'writes' : 'rest', {
    origin: new URL(origin).origin,
    method,
    path: withQuery(path, query),
    headers: Object.entries(headers).flat(),
    body,
    signal,
  })
  const { status } = reply
  if (status >= 300) throw refusal(method, status, await codeOf(reply), reply.headers)
  if (reply.sentBytes < Number(headers['content-length'] ?? 0)) {
    reply.body.discard()
    throw badResponse(`${status} before the end of the request`)
  }
  const bytes = await reply.body.upTo(maxResponseBytes)
  // Only the document of a GET is read; all other successes have an empty body. Without marks, an upload's response
  // must have an ETag, and a created bucket is looked up.
  const isBare =
    bytes.length === 0 && (status === 204 || isFromStore(reply.headers) || (method === 'PUT' && !isHtml(reply.headers)))
  if (method !== 'GET' && !isBare) {
    if (method === 'PUT' && isMarked(reply.headers) && accepted.test(bytes.toString())) throw new Overtaken()
    const what = `${status} to a ${method}`
    throw isMarked(reply.headers) || codeIn(bytes.toString()) !== null ? badResponse(what) : new NotFromStore(what)
  }
  return { response: { statusCode: status, headers: reply.headers, body: new Uint8Array(bytes) } }
}

type ClientOptions = Pick<S3Options, 'endpoint' | 'region' | 'pathStyle'>
type Handle = (request: SdkRequest, options?: { abortSignal?: AbortSignal }) => ReturnType<typeof respond>

/** The SDK without its own retries, checksums, redirects and settings. */
function openSdk(
  sdk: typeof Sdk,
  { endpoint, region, pathStyle }: ClientOptions,
  credentials: S3Credentials | null,
  handle: Handle,
) {
  const client = new sdk.S3Client({
    endpoint,
    region,
    forcePathStyle: pathStyle,
    credentials:
      credentials === null
        ? { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' }
        : {
            accessKeyId: credentials.accessKeyId,
            secretAccessKey: credentials.secretAccessKey,
            ...(credentials.sessionToken === null ? {} : { sessionToken: credentials.sessionToken }),
          },
    ...(credentials === null ? { signer: { sign: async (request) => request } } : {}),
    requestHandler: {
      handle,
      metadata: { handlerProtocol: 'http/1.1' },
      destroy() {},
      updateHttpClientConfig() {},
      httpHandlerConfigs: () => ({}),
    },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
    expectContinueHeader: false,
    maxAttempts: 1,
    // Otherwise the SDK reads these from the environment and from profiles.
    retryMode: 'standard',
    defaultsMode: 'standard',
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    disableS3ExpressSessionAuth: true,
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    disableClockSkewCorrection: true,
    userAgentAppId: '',
  })

  // Even without retries, the SDK's own middleware writes to the console and changes errors.
  client.middlewareStack.add((next) => (args) => next(args), {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  })
  return client
}

/** The SDK's commands over our connections, with the timeouts, limits, retries and checks of the reads. */
export function createClient(sdk: typeof Sdk, send: Send, options: ClientOptions, credentials: S3Credentials | null) {
  const known = new WeakSet<object>()

  async function handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
    try {
      return await respond(send, request, abortSignal)
    } catch (error) {
      known.add(error as object)
      throw error
    }
  }

  const client = openSdk(sdk, options, credentials, handle)

  /** Passes our own errors on; any other error means that the SDK could not read the response. */
  async function settled<Output>(sent: Promise<Output>): Promise<Output> {
    return sent.catch((error: unknown) => {
      if (typeof error === 'object' && error !== null && known.has(error)) throw error
      throw badResponse('an unreadable document', error)
    })
  }

  const within = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal })
  return {
    put: (input: Sdk.PutObjectCommandInput, signal: AbortSignal) =>
      settled(client.send(new sdk.PutObjectCommand(input), within(signal))),
    remove: (input: Sdk.DeleteObjectCommandInput) => settled(client.send(new sdk.DeleteObjectCommand(input))),
    list: (input: Sdk.ListObjectsV2CommandInput, signal?: AbortSignal) =>
      settled(client.send(new sdk.ListObjectsV2Command(input), within(signal))),
    create: (input: Sdk.CreateBucketCommandInput) => settled(client.send(new sdk.CreateBucketCommand(input))),
    close: () => client.destroy(),
  }
}

export type S3Client = ReturnType<typeof createClient>

export const isRefusal = (error: unknown, ...codes: string[]): error is Refusal =>
  error instanceof Error && error.name === 'Refusal' && codes.includes((error as Refusal).code ?? '')
