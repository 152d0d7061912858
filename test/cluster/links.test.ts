import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { get } from '../images/client.ts'
import { atEndOfFile } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { dropConnections } from '../support/dropped-packets.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Fault, type Filter, ScriptedS3 } from '../support/scripted-s3.ts'
import { send } from '../support/send.ts'
import { isFullSize, itInLongest, someOf } from '../support/size.ts'
import { type Link, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { atLeast, until } from '../support/until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { missingServices, startServices } from './services.ts'
import { type Loaded, perSecond, prepare, underLoad } from './under-load.ts'

const skip = isFullSize ? missing(haproxy) || missingServices('postgresql redis') : 'in npm run test:all'
/** With a signature: anything else would leave the catalogue, which has the size that each read is compared with. */
const image = (size: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(size)])
/** Sent while it is read; small ones are read as a whole first. */
const large = image(9_000_000)
const small = image(17_000)

describe(`A cluster under ${perSecond} requests a second loses nothing acknowledged, and serves no wrong image,`, {
  skip,
}, () => {
  let cluster: Cluster
  let keeper: string
  let database: TcpProxy
  let redis: TcpProxy
  let store: ScriptedS3
  before(async () => {
    const services = await startServices('postgresql redis')
    atEndOfFile(services.stop)
    database = await startTcpProxy(services.databaseUrl)
    redis = await startTcpProxy(services.redisUrl)
    store = await ScriptedS3.open()
    const folder = temporaryFolder()
    atEndOfFile(folder.remove)
    cluster = await startCluster({
      ...services,
      folder: folder.path,
      balancer: haproxy,
      databaseUrl: database.url,
      redisUrl: redis.url,
      s3: { endpoint: store.endpoint, keyId: 'key', secret: 'a secret of the store' },
      // Every image is read from the store.
      env: { IMAGE_CACHE_BYTES: '0' },
    })
    atEndOfFile(cluster.close)
    keeper = await prepare(cluster)
    for (const [name, bytes] of Object.entries({ large, small }))
      assert.equal((await upload(cluster.url, `bird/${name}.png`, bytes)).status, 200)
    await until(async () => {
      const lists = await Promise.all(
        cluster.instances.map(({ port }) =>
          send('GET', `http://127.0.0.1:${port}/images/bird`, { headers: { authorization: keeper } }),
        ),
      )
      return lists.every(({ body }) => body.images.length === 2)
    }, 'both instances have both images in their catalogues')
  })

  const isRead: Filter = ({ operation }) => operation === 'get'
  const whilePostgres = async (link: Link, act: () => Promise<unknown>) => {
    database.be(link)
    await act().finally(() => database.be('open'))
  }
  /** As where a firewall begins to drop packets: all of them, or those of new connections. */
  const whileDropped = async (link: TcpProxy, isAll: boolean, act: () => Promise<unknown>) => {
    if (isAll) link.be('silent')
    const accept = await link.dropNew()
    await act().finally(accept)
    link.be('open')
  }
  const whileStore = async (fault: Fault, filter: Filter, act: () => Promise<unknown>) => {
    store.always(fault, filter)
    await act().finally(() => store.heal())
  }
  const upload = (url: string, name: string, body: Uint8Array) => {
    const headers = { authorization: keeper, 'content-type': 'image/png' }
    return send('POST', `${url}/admin/s3/upload?bucketName=${cluster.bucket}&objectName=${name}`, { headers, body })
  }
  /** Of both instances: an image is whole, or visibly none. Returns how many were whole. */
  const readLarge = async () => {
    const replies = await Promise.all(cluster.instances.map(({ port }) => get(port, '/i/bird/large.png')))
    const whole = replies.filter(({ status, isWhole }) => status === 200 && isWhole)
    for (const { bytes } of whole) assert.ok(bytes.equals(large))
    return whole.length
  }

  describe('when PostgreSQL', () => {
    const faults: Record<string, (loaded: Loaded) => Promise<unknown>> = {
      'is silent for 6 s': () => whilePostgres('silent', () => atLeast(6_000)),
      'resets every connection for 3 s': () => whilePostgres('resetting', () => atLeast(3_000)),
      'is 200 ms away': ({ more }) => whilePostgres({ delayMs: 100 }, () => more(1)),
      'is sent and sends single bytes': ({ more }) => whilePostgres({ pieceBytes: 1 }, () => more(4)),
      'is out of reach for 8 s: all packets are dropped': () => whileDropped(database, true, () => atLeast(8_000)),
      'can be used by the connections that there are: the packets of new ones are dropped': ({ more }) =>
        whileDropped(database, false, () => more(8)),
    }
    for (const [title, act] of someOf(2, Object.entries(faults), 2))
      it(title, async (t) => {
        const failed = await underLoad(t, { cluster, keeper, act })
        if (!/ for /.test(title)) assert.deepEqual(failed, [])
      })
  })

  /** The description of a random image needs no store. */
  const withoutFailure = async (...parameters: Parameters<typeof underLoad>) =>
    assert.deepEqual(await underLoad(...parameters), [])

  it('when Redis is out of reach for 8 s: all packets are dropped', (t) =>
    withoutFailure(t, { cluster, keeper, act: () => whileDropped(redis, true, () => atLeast(8_000)) }))

  describe('when the object store', () => {
    itInLongest('is out of reach for 8 s: the packets of new connections are dropped', async (t) => {
      const act = async () => {
        await store.stop()
        const accept = await dropConnections(store.port)
        await atLeast(8_000)
        await accept()
        await store.start()
      }
      await withoutFailure(t, { cluster, keeper, act })
    })

    itInLongest('refuses connections for 4 s', async (t) => {
      const act = async () => {
        await store.stop()
        await atLeast(4_000)
        await store.start()
      }
      await withoutFailure(t, { cluster, keeper, act })
    })

    it('leaves images unfinished for longer than the timeout, or sends them at 1 kB a second', async (t) => {
      const act = async () => {
        for (const { key, fault } of [
          { key: 'bird/large.png', fault: { kind: 'stall', after: 4_000_000 } },
          { key: 'bird/small.png', fault: { kind: 'slow', bytesPerSecond: 1_000 } },
        ] as const)
          for (const _ of cluster.instances) store.next(fault, (each) => isRead(each) && each.key === key)
        const slow = cluster.instances.map(({ port }) => get(port, '/i/bird/small.png'))
        await readLarge()
        for (const { status, bytes, isWhole } of await Promise.all(slow))
          assert.deepEqual([status, isWhole, bytes.equals(small)], [200, true, true])
      }
      await withoutFailure(t, { cluster, keeper, act })
      await until(() => store.inFlight === 0, 'no request to the store is left')
    })

    it('cuts images short, resets connections within them, or announces a length that is too short or too long', async (t) => {
      const act = async ({ more }: Loaded) => {
        for (const fault of [
          { kind: 'truncate', after: 5, how: 'end' },
          { kind: 'truncate', after: 5, how: 'reset' },
          { kind: 'too-long', extra: 10 },
          { kind: 'too-short-length', by: 10 },
        ] as const)
          await whileStore(fault, isRead, async () => {
            const whole = await readLarge()
            if (fault.kind !== 'too-long') assert.equal(whole, 0)
            await more(1)
          })
      }
      await withoutFailure(t, { cluster, keeper, act })
      assert.equal(await readLarge(), 2)
    })

    it('answers 30 % of all requests with 503, which costs it at most half as many requests again', async (t) => {
      const isImage: Filter = (each) => isRead(each) && each.key.startsWith('fox/') && each.headers.range === undefined
      // Of both: by chance, the images would get more of them than their share.
      const seen = { images: 0, others: 0 }
      const isThird: Filter = (each) => [0, 3, 6].includes(seen[isImage(each) ? 'images' : 'others']++ % 10)
      const act = ({ more, tries }: Loaded) =>
        whileStore({ kind: 'status', status: 503 }, isThird, async () => {
          const [before, from] = [tries(), store.requests.length]
          await more(8)
          const after = tries()
          const asked = store.requests.slice(from)
          const reads = asked.filter(isImage).length
          const puts = asked.filter(({ operation, key }) => operation === 'put' && key.startsWith('fox/')).length
          const images = after.reads - before.reads
          const uploads = after.uploads - before.uploads
          t.diagnostic(`${reads} GETs for ${images} images, ${puts} PUTs for ${uploads} uploads`)
          // Four writers have one more under way.
          assert.ok(reads <= 1.5 * (images + 4))
          assert.ok(puts <= uploads + 4, 'no upload is repeated')
        })
      await withoutFailure(t, { cluster, keeper, act })
    })

    itInLongest('answers with 403, with an error document and 200, or with a login page', async (t) => {
      const act = async () => {
        for (const kind of ['junk-xml', 'html', 'status'] as const)
          await whileStore(
            { kind, status: 403 },
            () => true,
            async () => {
              assert.equal(await readLarge(), 0)
              for (const { url } of cluster.instances) {
                const { status, text } = await upload(url, 'bird/refused.png', small)
                assert.ok(status >= 500, text)
                assert.doesNotMatch(text, /AccessDenied|InternalError|Welcome|scripted/)
              }
              await atLeast(500)
            },
          )
      }
      await withoutFailure(t, { cluster, keeper, act })
    })

    it('resets connections halfway through uploads', async (t) => {
      const act = () =>
        whileStore(
          { kind: 'reset-on-put', after: large.length / 2 },
          () => true,
          async () => {
            const uploads = cluster.instances.map(({ url, name }) => upload(url, `bird/${name}.png`, large))
            for (const { status, text } of await Promise.all(uploads)) assert.ok(status >= 500, text)
          },
        )
      await withoutFailure(t, { cluster, keeper, act })
      const names = [...(store.objects.get(cluster.bucket)?.keys() ?? [])]
      for (const { name } of cluster.instances) assert.ok(!names.includes(`bird/${name}.png`))
      await until(() => store.inFlight === 0, 'no request to the store is left')
    })
  })
})
