import type { File, Send } from './http.ts'

export type UploadBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export interface Progress {
  /** Bytes passed to the network so far. */
  readonly sent: number
  /** Undefined for a stream, whose length is unknown. */
  readonly total: number | undefined
}

export type OnProgress = (progress: Progress) => void

/** fetch reports no progress: browsers use XMLHttpRequest; elsewhere, fetch sends a stream whose bytes are counted. */
export function fileOf(body: UploadBody, contentType?: string, onProgress?: OnProgress): File {
  const source = body instanceof Blob || body instanceof ReadableStream ? body : new Blob([body])
  const isStream = source instanceof ReadableStream
  const headers = { 'content-type': contentType ?? (isStream ? '' : source.type) }
  const whole: File = { open: () => source, headers, isRepeatable: !isStream }
  if (isStream) return { ...whole, open: (signal) => watched(source, undefined, onProgress, signal) }
  if (onProgress === undefined) return whole
  const Xhr = (globalThis as { XMLHttpRequest?: XhrConstructor }).XMLHttpRequest
  if (Xhr) return { ...whole, send: sendByXhr(Xhr, onProgress) }
  return {
    ...whole,
    // The length tells the service whether it can read a refused body to its end.
    headers: { ...headers, 'content-length': String(source.size) },
    open: (signal) => watched(source.stream(), source.size, onProgress, signal),
  }
}

/** Cancels its source on abort; Node's fetch would read the rest. */
function watched(
  source: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: OnProgress | undefined,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let sent = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      sent += chunk.byteLength
      onProgress?.({ sent, total })
    },
  })
  return source.pipeThrough(count, signal ? { signal } : {})
}

/** The part used here: a browser's types may be absent. */
interface Xhr {
  readonly upload: { onprogress: unknown }
  readonly status: number
  readonly statusText: string
  readonly responseText: string
  onload: unknown
  onerror: unknown
  onabort: unknown
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}
type XhrConstructor = new () => Xhr

const sendByXhr =
  (Xhr: XhrConstructor, onProgress: OnProgress): Send =>
  (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const xhr = new Xhr()
      const abort = () => xhr.abort()
      const settle = (end: () => void) => () => {
        signal?.removeEventListener('abort', abort)
        end()
      }
      xhr.open(method, url)
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
      xhr.upload.onprogress = ({ loaded, total }: { loaded: number; total: number }) =>
        onProgress({ sent: loaded, total })
      xhr.onload = settle(() => resolve(responseOf(xhr)))
      xhr.onerror = settle(() => reject(new TypeError('Failed to send')))
      xhr.onabort = settle(() => reject(signal?.reason))
      signal?.addEventListener('abort', abort)
      xhr.send(body)
    })

function responseOf(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1),
  ])
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers })
}
