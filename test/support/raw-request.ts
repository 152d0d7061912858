import { type RequestOptions, request } from 'node:http'

/** Sends exactly these headers, and returns the raw body, which `fetch` would decode. */
export const rawRequest = (url: string, { body = '', ...options }: RequestOptions & { readonly body?: string }) =>
  new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const req = request(url, { agent: false, ...options }, (res) => {
      res.toArray().then((chunks) => {
        const headers = Object.fromEntries(Object.entries(res.headers).map(([name, value]) => [name, String(value)]))
        resolve({ status: res.statusCode ?? 0, headers, body: Buffer.concat(chunks) })
      }, reject)
    })
    req.on('error', reject).end(body)
  })
