import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { type Caller, calls } from './openapi-walk-calls.ts'

/*
 * Calls every operation of both services through validating proxies: node openapi-walk.ts <API> <worker> <owner's password>.
 * Fails if a proxy reports a violation, a status is not the expected one, or an operation lacks a success or an error.
 */

const [apiUrl = '', workerUrl = '', password = ''] = process.argv.slice(2)
const seen = new Map<string, Set<string>>()

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly method: string
  readonly path: string
}

async function operationsAt(url: string): Promise<ReadonlyMap<string, Operation>> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rest]) => [rest.operationId, { ...rest, method, path }] as const),
  )
  return new Map(all)
}

/** Calls an operation and checks its status; the body is parsed if it is JSON. */
function caller(service: string, url: string, operations: ReadonlyMap<string, Operation>): Caller {
  for (const id of operations.keys()) seen.set(`${service} ${id}`, new Set())
  return async (id, status, { token, params = {}, query, body, headers = {} } = {}) => {
    const { method, path } = operations.get(id) ?? fail(`${service} has no operation ${id}`)
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const isJson = body !== undefined && !(body instanceof Uint8Array)
    const target = `${url}${filled}${query ? `?${new URLSearchParams(query)}` : ''}`
    const reply = await send(target, method.toUpperCase(), isJson ? JSON.stringify(body) : body, {
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: token }),
      ...headers,
    })
    if (reply.isViolation || reply.status !== status)
      fail(`${service} ${id}: ${reply.status} instead of ${status}: ${JSON.stringify(reply.text.slice(0, 2000))}`)
    seen.get(`${service} ${id}`)?.add(status < 400 ? 'success' : 'error')
    return reply.isJson ? JSON.parse(reply.text) : null
  }
}

/** Not by fetch, which adds headers of browsers: the worker refuses GET heartbeats with those. */
async function send(url: string, method: string, body: string | Uint8Array | undefined, headers: OutgoingHttpHeaders) {
  const length = { 'Content-Length': Buffer.byteLength(body ?? '') }
  const sent = request(url, { method, headers: { ...headers, ...(body && length) } }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  return {
    status: response.statusCode,
    text,
    isJson: /^application\/json/.test(response.headers['content-type'] ?? '') && text !== '',
    isViolation: text.includes('stoplight.io/prism') || 'sl-violations' in response.headers,
  }
}

function fail(message: string): never {
  throw new Error(message)
}

/** There is an owner, so another one cannot be the first; the tokens of links are in the alerts of chats alone. */
const neverDone = new Set([
  'API createFirstOwner',
  ...['API showAcknowledgement', 'API acknowledgeByLink', 'worker getOutageOfLink', 'worker acknowledgeByLink'],
])

const ofApi = await operationsAt(apiUrl)
const api = caller('API', apiUrl, ofApi)
const worker = caller('worker', workerUrl, await operationsAt(workerUrl))
const isPlain = ({ operationId, tags, method, path }: Operation) =>
  method === 'get' &&
  (tags.includes('Base') || tags.includes('The status page')) &&
  operationId !== 'getMetrics' &&
  !path.includes('{')
const plain = [...ofApi.values()].filter(isPlain).map(({ operationId }) => operationId)
await calls({ api, worker, plain, password })

for (const [operation, outcomes] of seen) {
  const isOfPlain = plain.some((id) => operation === `API ${id}`)
  const wanted = isOfPlain ? ['success'] : neverDone.has(operation) ? ['error'] : ['success', 'error']
  for (const outcome of wanted) if (!outcomes.has(outcome)) fail(`${operation}: no ${outcome} was tried`)
}
console.log(`${seen.size} operations, no violation`)
