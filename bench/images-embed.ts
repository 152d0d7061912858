import { ask, get, post, untilServed } from './connection.ts'
import { type ContestOptions, compete, contestant, costGate, printContest } from './contest.ts'
import type { Gate } from './figures.ts'
import { kind } from './images-pool.ts'
import { startOnFolder } from './images-random.ts'
import { tokenOn } from './people.ts'
import type { Server } from './server.ts'

const withToken = 'as=bytes with a token'

/** The same random images through two routes of one server. */
export async function benchEmbed({
  folder,
  env = {},
  ...rounds
}: ContestOptions & { readonly env?: Readonly<Record<string, string>> }): Promise<Gate[]> {
  const server = await startOnFolder(folder, env)
  try {
    const { image, link } = await requests(server)
    const of = (name: string, request: string) =>
      contestant(name, server, withToken, { requests: [request], bytes: null })
    const [plain, embedded] = [of(withToken, image), of('by an embed link', link)]
    const contestants = [plain, embedded]
    await compete(contestants, rounds)
    printContest('A random image of 10,000 bytes', contestants, rounds)
    return [costGate('a random image', plain, embedded, 1.3)]
  } finally {
    await server.stop()
  }
}

async function requests({ port }: Server) {
  const token = await tokenOn(port)
  const { body } = await ask(port, post('/auth/embed', { kind }, token), 201)
  const { pathname } = new URL(JSON.parse(body).url)
  const image = get(`/images/${kind}/random?as=bytes`, token)
  // The first listing may still be in progress.
  await untilServed(port, image)
  return { image, link: get(pathname) }
}
