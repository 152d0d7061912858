import { ask, get, post, untilServed } from './connection.ts'
import { type ContestOptions, compete, contestant, named, printContest, ratios } from './contest.ts'
import { type Gate, median } from './figures.ts'
import { kind } from './images-pool.ts'
import { startOnFolder } from './images-random.ts'
import { tokenOn } from './people.ts'
import type { Server } from './server.ts'

const mostDearer = 1.3
const withToken = 'as=bytes with a token'
const byLink = 'by an embed link'

/** The same random images by two routes of one server. */
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
    const contestants = [of(withToken, image), of(byLink, link)]
    await compete(contestants, rounds)
    printContest('A random image of 10,000 bytes', contestants, rounds)
    const dearer = median(ratios(named(contestants, withToken), named(contestants, byLink)))
    return [
      {
        promise: `a random image ${byLink} costs at most ${mostDearer} times the CPU of ${withToken}`,
        figure: dearer.toFixed(2),
        held: dearer <= mostDearer,
      },
    ]
  } finally {
    await server.stop()
  }
}

async function requests({ port }: Server) {
  const token = await tokenOn(port)
  const { body } = await ask(port, post('/auth/embed', { kind }, token), 201)
  const { pathname } = new URL(JSON.parse(body).url)
  const image = get(`/images/${kind}/random?as=bytes`, token)
  // The first listing may still be under way.
  await untilServed(port, image)
  return { image, link: get(pathname) }
}
