import type { Buffer } from 'node:buffer'
import { encodePng } from './png.ts'
import { Canvas } from './raster.ts'
import { scenesFor } from './scenes/any-kind.ts'
import { bird } from './scenes/bird.ts'
import { fox } from './scenes/fox.ts'
import { hug } from './scenes/hug.ts'
import { kiss } from './scenes/kiss.ts'
import { pat } from './scenes/pat.ts'
import type { Scenes } from './scenes/scene.ts'
import { shibe } from './scenes/shibe.ts'
import { slap } from './scenes/slap.ts'
import { smug } from './scenes/smug.ts'
import { weinerDog } from './scenes/weiner-dog.ts'

export type Sample = { readonly path: string; readonly bytes: Buffer }

const ownScenes = new Map<string, Scenes>(
  Object.entries({ fox, bird, shibe, 'weiner-dog': weinerDog, slap, hug, kiss, smug, pat }),
)
const [width, height, colours] = [480, 360, 80]

/** The sample images of every kind; a kind without scenes of its own gets some made up from its name. */
export function drawSamples(kinds: readonly string[]): Sample[] {
  return kinds.flatMap((kind) =>
    Object.entries(ownScenes.get(kind) ?? scenesFor(kind)).map(([name, draw]) => {
      const canvas = new Canvas(width, height)
      draw(canvas)
      return { path: `${kind}/${name}.png`, bytes: encodePng(canvas, colours) }
    }),
  )
}
