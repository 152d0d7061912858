import { get } from '../connection.ts'
import { type ContestOptions, contestant, withBaseline } from '../contest.ts'
import { startOnCatalogue, startOnFolder } from '../images-random.ts'
import { tokenOn } from '../people.ts'
import { type Comparison, own, print, race } from './comparison.ts'
import { frameworks, startFramework, withServers } from './servers.ts'

const path = '/images/fox/random'

/** Each choice reads the token and the user. */
export async function compareRandom({ folder, ...rounds }: ContestOptions): Promise<Comparison> {
  const groups: Comparison['groups'][number][] = []
  for (const count of [1_000, 100_000, 1_000_000])
    groups.push(
      await withServers(async (started) => {
        const server = await started(count === 1_000 ? startOnFolder(folder) : startOnCatalogue(folder, count))
        const [bare, ours] = await withBaseline(folder, own, server, get(path, await tokenOn(server.port)))
        await started(Promise.resolve(bare.server))
        const others = []
        for (const name of frameworks) {
          const other = await started(startFramework(name, folder, { objects: count }))
          const requests = [get(path, await tokenOn(other.port))]
          others.push(contestant(name, other, bare.name, { requests, bytes: null }))
        }
        const rows = await race([ours, ...others, bare], rounds)
        return { name: `${count.toLocaleString('en')} objects`, rows }
      }),
    )
  return print({
    id: 'random',
    title: 'A random image',
    about:
      'The JSON of one random image behind a token, of a kind with so many objects. All three look the user up in SQLite; Menagerie also checks that the token is the newest, counts the request and keeps its list like the store. The others choose from an array of names.',
    unit: 'µs of CPU',
    groups,
  })
}
