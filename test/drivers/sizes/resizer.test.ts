import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { createResizer, type ResizerTimes, resizerTimes, sharpVersion } from '../../../src/drivers/sizes/resizer.ts'
import { NotResizable, type Resizer } from '../../../src/images/sizes/resizer.ts'
import { formatOf, type ImageFormat } from '../../../src/images/sizes/size.ts'
import { atEnd } from '../../support/at-end.ts'
import {
  allFormats,
  animation,
  colourAt,
  described,
  entitySvg,
  longGif,
  painted,
  picture,
  plainPng,
  resizeProcesses,
} from '../../support/real-images.ts'
import { assertProperty } from '../../support/seed.ts'
import { describeInFull, isFullSize, itInFull, sized, someOf } from '../../support/size.ts'
import { until } from '../../support/until.ts'

const root = join(import.meta.dirname, '../../..')
const skip = !isFullSize && 'in npm run test:all'

/** Beside other tests, a process of low priority can take longer than an image may. */
function start(times: Partial<ResizerTimes> = {}): Resizer {
  const resizer = createResizer(sharpVersion() ?? '', { ...resizerTimes, timeoutMs: 100_000, ...times })
  atEnd(resizer.close)
  return resizer
}

async function* inChunks(bytes: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
}

const resize = async (resizer: Resizer, image: Buffer, width: number, ...formats: readonly ImageFormat[]) => {
  const type = formatOf(image) ?? 'png'
  const job = { type, width, formats: formats.length > 0 ? formats : [type], hasLook: false, length: image.length }
  return (await resizer.resize(job, inChunks(image))).bytes
}

/** An image that never arrives, and what resolves when it is asked for. */
function endless() {
  const asked = Promise.withResolvers<void>()
  async function* chunks(): AsyncIterable<Buffer> {
    yield Buffer.from('\x89PNG')
    asked.resolve()
    await new Promise(() => {})
  }
  return {
    chunks: chunks(),
    asked: asked.promise,
    job: { type: 'png', width: 10, formats: ['png'], hasLook: false, length: 99 } as const,
  }
}

const refused = (lasting: NotResizable['lasting']) => (error: unknown) =>
  error instanceof NotResizable && error.lasting === lasting

describe('A resized image', () => {
  const resizer = start()

  for (const format of allFormats)
    (format === 'avif' ? itInFull : it)(
      `of ${format} is ${format}, as wide as asked, in proportion and never larger than it was`,
      async () => {
        const image = await picture(format, 120, 60)
        for (const [width, expected] of [
          [40, [40, 20]],
          [120, [120, 60]],
          [500, [120, 60]],
        ] as const) {
          const made = await resize(resizer, image, width)
          const { width: wide, height } = await described(made)
          assert.deepEqual([formatOf(made), wide, height], [format, ...expected])
        }
      },
    )

  itInFull('is the smallest of the types that may be sent, and readable in each', async () => {
    const image = await picture('png', 200, 100)
    const each = await Promise.all(
      (['png', 'webp', 'avif', 'jpeg'] as const).map((to) => resize(resizer, image, 100, to)),
    )
    assert.deepEqual(each.map(formatOf), ['png', 'webp', 'avif', 'jpeg'])
    const smallest = await resize(resizer, image, 100, 'png', 'webp', 'avif', 'jpeg')
    assert.equal(smallest.length, Math.min(...each.map(({ length }) => length)))
  })

  it('is upright, in sRGB and without metadata', async () => {
    const top = {
      input: { create: { width: 100, height: 30, channels: 3, background: 'red' } },
      top: 0,
      left: 0,
    } as const
    const flat = sharp({ create: { width: 100, height: 60, channels: 3, background: 'blue' } }).composite([top])
    const pixels = await flat.png().toBuffer()
    const exif = { IFD0: { Copyright: 'somebody' } }
    for (const format of ['jpeg', 'png'] as const) {
      const image = await sharp(pixels)
        .withIccProfile('p3')
        .withMetadata({ exif, orientation: 6 })
        .toFormat(format)
        .toBuffer()
      assert.equal((await described(image)).orientation, 6)
      const made = await resize(resizer, image, 30)
      const { width, height, exif: kept, icc, orientation, space } = await described(made)
      assert.deepEqual(
        [width, height, kept, icc, orientation, space],
        [30, 50, undefined, undefined, undefined, 'srgb'],
      )
      // Turned clockwise, its top is on the right.
      assert.deepEqual(
        [await colourAt(made, 25, 25), await colourAt(made, 4, 25)],
        [
          [250, 0, 0],
          [0, 0, 250],
        ],
      )
    }
  })

  itInFull('is of 8 bits and three colours, whatever it was made of', async () => {
    const image = painted(60, 60)
    const others = [
      await image.clone().toColourspace('cmyk').jpeg().toBuffer(),
      await image.clone().toColourspace('rgb16').png().toBuffer(),
      await image.clone().toColourspace('b-w').png().toBuffer(),
    ]
    for (const other of others) {
      const { space, depth, channels } = await described(await resize(resizer, other, 30, 'webp'))
      assert.deepEqual([space, depth, channels], ['srgb', 'uchar', 3])
    }
  })

  itInFull('keeps its transparency, and is on white where the type has none', async () => {
    const image = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff000000' } })
      .png()
      .toBuffer()
    for (const format of ['png', 'webp', 'avif'] as const)
      assert.equal((await described(await resize(resizer, image, 20, format))).hasAlpha, true, format)
    assert.deepEqual(await colourAt(await resize(resizer, image, 20, 'jpeg'), 10, 10), [250, 250, 250])
  })

  it('keeps moving as GIF and WebP, also where another type would be smaller, and shows its first frame in the others', async () => {
    for (const from of ['gif', 'webp'] as const) {
      const image = await animation(from, 60, 30)
      for (const to of ['gif', 'webp'] as const) {
        const { pages, width, pageHeight } = await described(await resize(resizer, image, 20, to))
        assert.deepEqual([pages, width, pageHeight], [3, 20, 10], `${from} as ${to}`)
      }
      for (const to of ['jpeg', 'png', 'avif'] as const) {
        const made = await resize(resizer, image, 20, to)
        const { pages = 1, height } = await described(made)
        assert.deepEqual([pages, height, await colourAt(made, 5, 5)], [1, 10, [0, 100, 200]], `${from} as ${to}`)
      }
      const chosen = await resize(resizer, image, 20, from, 'avif', 'webp')
      assert.equal((await described(chosen)).pages, 3)
    }
  })

  it('of every sample is not wider than asked', async () => {
    for (const path of someOf(2, globSync('samples/*/*', { cwd: root }))) {
      const made = await resize(resizer, readFileSync(join(root, path)), 160)
      assert.equal((await described(made)).width, 160, path)
    }
  })

  it('has few colours if it had few, so that a smaller image is a smaller file', async () => {
    for (const path of someOf(2, globSync('samples/fox/*', { cwd: root }))) {
      const image = readFileSync(join(root, path))
      assert.ok((await resize(resizer, image, 320)).length < image.length * 2, path)
    }
  })

  it('that is too tall for a type is refused for that type alone, and has another where several may be sent', async () => {
    const image = plainPng(20, 20_000)
    for (const format of ['webp', 'avif'] as const)
      await assert.rejects(resize(resizer, image, 20, format), refused('for this format'))
    assert.equal(formatOf(await resize(resizer, image, 20, 'webp', 'avif', 'png')), 'png')
  })
})

describe('A file that cannot be resized', () => {
  const resizer = start()
  const bombs: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
    'declares 2^31 pixels': () => plainPng(65_536, 32_768, 1),
    'has more than 100 million pixels in all frames': () => longGif(200, 200, 2_501),
    'is a truncated JPEG': async () => (await picture('jpeg', 300, 300)).subarray(0, 5_000),
    'is a truncated AVIF': async () => (await picture('avif', 300, 300)).subarray(0, 900),
    'is an SVG with entities': () => entitySvg,
    'is a TIFF': () => painted(20, 20).tiff().toBuffer(),
    'is empty but for its signature': () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  }
  for (const [what, make] of Object.entries(bombs))
    it(`because it ${what} is refused for good, and the process goes on`, async () => {
      const small = await picture('png', 30, 30)
      await resize(resizer, small, 10)
      const processes = resizeProcesses()
      await assert.rejects(resize(resizer, await make(), 160), refused('for this version'))
      await resize(resizer, small, 10)
      assert.deepEqual(resizeProcesses(), processes)
    })

  it('is none of these: 50 million pixels of one colour, or a GIF of 10,000 small frames', { skip }, async () => {
    assert.equal((await described(await resize(resizer, plainPng(10_000, 5_000), 160))).width, 160)
    assert.equal((await described(await resize(resizer, await longGif(8, 8, 10_000), 160))).width, 8)
  })

  it('is refused for its version if it has more items than the decoder allows', async () => {
    const image = await picture('avif', 64, 48)
    // After the type: version and flags, the widths of fields, the number of items.
    image.writeUInt16BE(257, image.indexOf('iloc') + 10)
    await assert.rejects(resize(resizer, image, 32, 'avif'), {
      name: 'NotResizable',
      message: /Security limit exceeded/,
      lasting: 'for this version',
    })
  })

  itInFull(
    'harms nothing else, however it is damaged: 3,000 mutated files, with the seed that fast-check prints',
    async () => {
      const images = await Promise.all([
        ...allFormats.map((format) => picture(format, 64, 48)),
        ...(['gif', 'webp'] as const).map((format) => animation(format, 40, 30)),
      ])
      const mutation = fc.record({
        at: fc.double({ min: 0, max: 0.999, noNaN: true }),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
        cuts: fc.boolean(),
      })
      const mutated = fc
        .tuple(fc.constantFrom(...images), fc.array(mutation, { minLength: 1, maxLength: 6 }))
        .map(([image, all]) => {
          const copy = Buffer.from(image)
          let { length } = copy
          for (const { at, bytes, cuts } of all)
            if (cuts && length > 64) length = Math.max(32, Math.floor(at * copy.length))
            else
              copy.set(
                bytes.subarray(0, Math.max(0, copy.length - Math.floor(at * copy.length))),
                Math.floor(at * copy.length),
              )
          return copy.subarray(0, length)
        })
      const property = fc.asyncProperty(mutated, fc.constantFrom('own', ...allFormats), async (image, to) => {
        const type = formatOf(image)
        if (type === null) return
        try {
          const made = await resize(resizer, image, 32, to === 'own' ? type : to)
          assert.ok((await described(made)).width <= 32)
        } catch (error) {
          // Neither a crash nor more time or memory than an image may take.
          assert.ok(
            error instanceof NotResizable && error.lasting !== 'for a while' && error.lasting !== 'not at all',
            String(error),
          )
        }
      })
      await assertProperty(property, { numRuns: sized(1_000, 3_000) })
    },
  )
})

describeInFull('A process that resizes images', () => {
  it('starts with the first image, works on one at a time, and there are at most two', async () => {
    const resizer = start()
    assert.deepEqual([resizeProcesses(), resizer.memoryBytes()], [[], 0])
    const image = await picture('jpeg', 400, 400)
    await Promise.all(Array.from({ length: resizer.max }, () => resize(resizer, image, 100)))
    assert.equal(resizeProcesses().length, resizer.max)
    assert.ok(resizer.memoryBytes() > 1_000_000)
    await resize(resizer, image, 100)
    assert.equal(resizeProcesses().length, resizer.max)
    await resizer.close()
    assert.deepEqual(resizeProcesses(), [])
  })

  it('that starts while the service stops is ended, and its image refused at once, as is a later one', async () => {
    const resizer = start()
    const image = await picture('png', 30, 30)
    const refused = assert.rejects(resize(resizer, image, 10), { name: 'NoResizer', isFinal: false })
    await resizer.close()
    await refused
    assert.deepEqual(resizeProcesses(), [])
    await assert.rejects(resize(resizer, image, 10), { name: 'NoResizer', isFinal: false })
    assert.deepEqual(resizeProcesses(), [])
  })

  it('ends after a pause', async () => {
    const resizer = start({ idleMs: 20 })
    const image = await picture('png', 30, 30)
    await resize(resizer, image, 10)
    await until(() => resizeProcesses().length === 0)
    await resize(resizer, image, 10)
    assert.equal(resizeProcesses().length, 1)
  })

  it('has no environment, and no open file of its parent', async () => {
    const resizer = start()
    await resize(resizer, await picture('png', 30, 30), 10)
    const [pid] = resizeProcesses()
    assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
    const files = globSync(`/proc/${pid}/fd/*`).length
    assert.ok(files > 2 && files < 40, String(files))
  })

  it('that is killed costs the image that it works on, which is not to blame', async () => {
    const resizer = start()
    const { job, chunks, asked } = endless()
    const lost = assert.rejects(resizer.resize(job, chunks), refused('not at all'))
    await asked
    for (const pid of resizeProcesses()) process.kill(pid, 'SIGKILL')
    await lost
    assert.equal(formatOf(await resize(resizer, await picture('png', 30, 30), 10)), 'png')
  })

  it('that crashes costs the image that it works on, for good', async () => {
    const resizer = start()
    const { job, chunks, asked } = endless()
    const lost = assert.rejects(resizer.resize(job, chunks), refused('for this version'))
    await asked
    for (const pid of resizeProcesses()) process.kill(pid, 'SIGSEGV')
    await lost
    assert.equal(formatOf(await resize(resizer, await picture('png', 30, 30), 10)), 'png')
  })

  it('that takes too long is ended, and the image refused for a while', async () => {
    const resizer = start({ timeoutMs: 3_000 })
    const image = await picture('png', 30, 30)
    await resize(resizer, image, 10)
    for (const pid of resizeProcesses()) process.kill(pid, 'SIGSTOP')
    await assert.rejects(resize(resizer, image, 10), refused('for a while'))
    assert.equal(formatOf(await resize(resizer, image, 10)), 'png')
  })

  it('that has answered does not wait longer than an image may take for a stream that does not end', async () => {
    const resizer = start({ timeoutMs: 3_000 })
    const { job, chunks } = endless()
    await assert.rejects(resizer.resize({ ...job, length: 4 }, chunks), refused('for this version'))
    assert.equal(formatOf(await resize(resizer, await picture('png', 30, 30), 10)), 'png')
  })

  it('that takes too much memory is ended, and the image refused for a while', async () => {
    const resizer = start({ maxBytes: 1_000_000 })
    const { job, chunks } = endless()
    await assert.rejects(resizer.resize(job, chunks), refused('for a while'))
    await until(() => resizeProcesses().length === 0)
  })

  it('that keeps most of the memory that it may take is replaced, so that no image is refused for those before it', async () => {
    const image = await picture('png', 30, 30)
    const [frugal, wasteful] = [start(), start({ maxBytes: 130_000_000 })]
    await resize(frugal, image, 10)
    const kept = resizeProcesses()
    for (let turn = 0; turn < 2; turn++) {
      assert.equal(formatOf(await resize(wasteful, image, 10)), 'png')
      await until(() => resizeProcesses().length === kept.length)
    }
    await resize(frugal, image, 10)
    assert.deepEqual(resizeProcesses(), kept)
  })

  it('rejects with the error of a store that fails midway, and works on', async () => {
    const resizer = start()
    async function* broken(): AsyncIterable<Buffer> {
      yield Buffer.from('\x89PNG')
      throw new Error('the store failed')
    }
    const { job } = endless()
    await assert.rejects(resizer.resize(job, broken()), /the store failed/)
    assert.equal(formatOf(await resize(resizer, await picture('png', 30, 30), 10)), 'png')
  })
})
