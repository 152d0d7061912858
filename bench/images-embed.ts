import { get, openConnection, post } from './connection.ts'
import { compete, contestant, named, printContest, type Rounds, ratios } from './contest.ts'
import { type Gate, median } from './figures.ts'
import { kind } from './images-pool.ts'
import { startOnFolder } from './images-random.ts'
import { registerPeople } from './people.ts'
import type { Server } from './server.ts'

const mostDearer = 1.3
const withToken = 'as=bytes with a token'
const byLink = 'by an embed link'

/** The same random images by two routes of one server. */
export async function benchEmbed({
  folder,
  env = {},
  ...rounds
}: Rounds & { readonly folder: string; readonly env?: Readonly<Record<string, string>> }): Promise<Gate[]> {
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
  const [person] = await registerPeople(port, 1)
  const headers = { Authorization: person?.accessToken ?? '' }
  const connection = await openConnection(port)
  const { status, body } = await connection.send(post('/auth/embed', { kind }, headers))
  if (status !== 201) throw new Error(`POST /auth/embed answered ${status}: ${body}`)
  const { pathname } = new URL(JSON.parse(body).url)
  const image = get(`/images/${kind}/random?as=bytes`, headers)
  // The first listing may still be under way.
  while ((await connection.send(image)).status !== 200);
  connection.close()
  return { image, link: get(pathname) }
}
