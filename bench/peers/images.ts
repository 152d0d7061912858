import { join } from 'node:path'
import { ask, get } from '../connection.ts'
import { type Contestant, type ContestOptions, contestant } from '../contest.ts'
import { bucket, filenameOf, kind } from '../images-pool.ts'
import { dataDirWith } from '../images-servers.ts'
import { photographs } from '../photographs.ts'
import { type Server, startApi, startServer } from '../server.ts'
import { type Comparison, own, print, race } from './comparison.ts'
import { frameworks, startFramework, startNginx, withServers } from './servers.ts'

const files = 64
const asBefore = { CATALOGUE_REFRESH_SECONDS: '86400' }

export async function compareImages({ folder, ...rounds }: ContestOptions): Promise<Comparison> {
  const groups: Comparison['groups'][number][] = []
  for (const bytes of [10_000, 100_000, 1_000_000]) {
    const image = Buffer.alloc(bytes, 'menagerie')
    const images = Array.from({ length: files }, (_, index) => [filenameOf(index), image] as const)
    const dataDir = await dataDirWith(folder, images)
    const objects = join(dataDir, 'objects', bucket)
    const load = { requests: images.map(([name]) => get(`/i/${kind}/${name}`)), bytes }
    const bare = 'readFile on bare node:http'
    const rows = await withServers(async (started) => {
      const contestants: Contestant[] = []
      const enter = async (name: string, starting: Promise<Server>) =>
        contestants.push(contestant(name, await started(starting), bare, load))
      await enter(`${own}, hot`, startApi(folder, { DATA_DIR: dataDir, ...asBefore }))
      const cold = startApi(folder, {
        DATA_DIR: await dataDirWith(folder, images),
        IMAGE_CACHE_BYTES: '0',
        ...asBefore,
      })
      await enter(`${own}, cold`, cold)
      await enter('nginx', startNginx(folder, objects))
      for (const name of frameworks) await enter(name, startFramework(name, folder, { files: objects }))
      await enter(bare, startServer({ script: 'bench/bare.ts', readyPath: '/ready', env: { FOLDER: objects }, folder }))
      return race(contestants, rounds)
    })
    groups.push({ name: `${bytes / 1000} kB`, rows })
  }
  return print({
    id: 'images',
    title: 'The bytes of an image',
    about: `${files} images in a folder, in turn. Hot: from Menagerie's memory. Cold: without its cache, so from the file system, whose own cache has them for all. Menagerie and the frameworks write an access log and security headers, nginx its access log; bare \`node:http\` does neither.`,
    unit: 'µs of CPU',
    groups,
  })
}

const width = 320

export async function compareSizes({ folder, ...rounds }: ContestOptions): Promise<Comparison> {
  const images = (await photographs(files / 4)).map((bytes, index) => [filenameOf(index), bytes] as const)
  const dataDir = await dataDirWith(folder, images)
  const objects = join(dataDir, 'objects', bucket)
  const load = { requests: images.map(([name]) => get(`/i/${kind}/${name}?w=${width}`)), bytes: null }
  const rows = await withServers(async (started) => {
    const contestants: Contestant[] = []
    const enter = async (name: string, starting: Promise<Server>) =>
      contestants.push(contestant(name, await started(starting), own, load))
    await enter(own, startApi(folder, { DATA_DIR: dataDir, ...asBefore }))
    for (const { port } of contestants) for (const each of load.requests) await ask(port, each)
    for (const name of frameworks) await enter(`${name} and sharp`, startFramework(name, folder, { files: objects }))
    return race(contestants, rounds)
  })
  return print({
    id: 'sizes',
    title: 'An image at another width',
    about: `${images.length} photographs of 1.1 MB at a width of ${width} pixels, again and again. Menagerie makes each once and keeps it; the others call sharp for each request, as the examples do.`,
    unit: 'µs of CPU',
    groups: [{ name: '', rows }],
  })
}
