import { password, type Reply, type RequestOptions, type TestService } from './service.ts'

/** As a browser sends requests of the console, over https or to localhost. */
export const sameOrigin = { 'sec-fetch-site': 'same-origin' }

export const cookieOf = ({ headers }: Reply) => (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''

/** A browser with the console: keeps its cookie, and sends it with everything. */
export function consoleBrowser(service: Pick<TestService, 'request'>, own: Record<string, string> = {}) {
  let cookie = ''
  const ask = async (method: string, path: string, { headers, ...options }: RequestOptions = {}): Promise<Reply> => {
    const sent = { ...sameOrigin, ...own, ...(cookie !== '' && { cookie }), ...headers }
    const reply = await service.request(method, path, { ...options, headers: sent })
    if (reply.headers.has('set-cookie')) cookie = cookieOf(reply)
    return reply
  }
  return {
    ask,
    get cookie() {
      return cookie
    },
    signIn: (username: string, secret = password) =>
      ask('POST', '/console/session', { body: { username, password: secret } }),
    me: () => ask('GET', '/auth/me'),
  }
}

export type ConsoleBrowser = ReturnType<typeof consoleBrowser>
