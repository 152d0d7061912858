import { type Creature, creatureOf } from '../characters/creature.ts'
import { hsl } from '../colours.ts'
import type { Canvas } from '../raster.ts'
import { cloud, flower, glow, grass, hill, pine, shadow, sky, snowfall, stars, sunburst, tree } from '../scenery.ts'
import { ellipse, heart, join, rect } from '../shapes.ts'
import type { Scenes } from './scene.ts'

/** Four pictures for a kind that has no scenes of its own: a creature made up from its name, in four places. */
export function scenesFor(kind: string): Scenes {
  const name =
    kind
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'creature'
  const creature = creatureOf(kind)
  return {
    [`${name}-in-a-meadow`]: (canvas) => inAMeadow(canvas, creature),
    [`${name}-at-night`]: (canvas) => atNight(canvas, creature),
    [`${name}-in-snow`]: (canvas) => inSnow(canvas, creature),
    [`${name}-says-hello`]: (canvas) => saysHello(canvas, creature),
  }
}

function inAMeadow(canvas: Canvas, { hue, draw }: Creature): void {
  sky(canvas, '#a5d8ef', '#dff2f1', '#fdf5e0')
  glow(canvas, 392, 82, 36, '#fff1bd')
  cloud(canvas, 92, 80, 1, '#ffffff')
  cloud(canvas, 236, 54, 0.7, '#ffffff')
  hill(canvas, [254, 228, 250, 224, 246], '#bcdfab')
  tree(canvas, 62, 290, 1.2, '#69b184', '#83c598')
  tree(canvas, 426, 286, 0.9, '#69b184', '#83c598')
  hill(canvas, [292, 278, 284, 278, 294], '#98cf8b', '#79b974')
  standing(canvas, () => draw(canvas, 'happy'))
  for (const [x, y] of [
    [44, 322],
    [104, 344],
    [376, 344],
    [436, 318],
    [146, 304],
  ] as const) {
    flower(canvas, x, y, 10, hsl((hue + 120) % 360, 80, 86))
  }
}

function atNight(canvas: Canvas, { hue, draw }: Creature): void {
  const base = 215 + (hue % 60)
  sky(canvas, hsl(base, 50, 18), hsl(base, 44, 32), hsl(base, 40, 50))
  stars(canvas, `night ${hue}`, 54, 230, '#fdf3c9')
  glow(canvas, 106, 92, 42, '#fff2c4')
  hill(canvas, [252, 226, 250, 232, 244], hsl(base, 36, 34))
  for (const [x, size] of [
    [40, 1],
    [404, 0.8],
    [448, 1.15],
  ] as const)
    pine(canvas, x, 300, size, hsl(base, 38, 22))
  hill(canvas, [300, 282, 286, 280, 298], hsl(base, 34, 26), hsl(base, 40, 16))
  standing(canvas, () => draw(canvas, 'asleep'))
  canvas.line('M318 132 L334 132 L318 151 L334 151', 3.6, '#fdf3c9')
  canvas.line('M350 96 L372 96 L350 121 L372 121', 4.4, '#fdf3c9cc')
  grass(canvas, `night ${hue}`, 346, 30, [hsl(base, 42, 13), hsl(base, 38, 18)])
}

function inSnow(canvas: Canvas, { draw }: Creature): void {
  sky(canvas, '#a3c6e4', '#d3e5f2', '#f5f8fb')
  hill(canvas, [226, 204, 228, 198, 214], '#c0d7ea')
  for (const [x, y, size] of [
    [42, 272, 1.2],
    [104, 260, 0.8],
    [388, 264, 0.9],
    [444, 274, 1.3],
  ] as const) {
    pine(canvas, x, y, size, '#3f7a78', '#f7fbff')
  }
  hill(canvas, [276, 264, 268, 262, 278], '#e3eff8')
  hill(canvas, [314, 302, 306, 300, 316], '#ffffff', '#dce9f5')
  snowfall(canvas, 'any snow', 80)
  standing(canvas, () => draw(canvas, 'calm'))
}

function saysHello(canvas: Canvas, { hue, draw }: Creature): void {
  const [plain, ray, disc] = [
    hsl((hue + 180) % 360, 52, 66),
    hsl((hue + 180) % 360, 54, 70),
    hsl((hue + 180) % 360, 58, 82),
  ]
  sky(canvas, plain, plain)
  sunburst(canvas, 240, 190, 16, ray)
  const frame = ellipse(240, 184, 150)
  canvas.fill(frame, disc)
  canvas.within(join(frame, rect(90, 0, 300, 184)), () =>
    canvas.at(240, 396, { scale: 1.7 }, () => draw(canvas, 'calm')),
  )
  for (const [x, y, size] of [
    [64, 84, 16],
    [418, 70, 20],
    [434, 286, 15],
    [52, 272, 19],
  ] as const)
    canvas.fill(heart(x, y, size), disc)
}

function standing(canvas: Canvas, draw: () => void): void {
  shadow(canvas, 236, 326, 108, '#20304a44')
  canvas.at(230, 326, { scale: 1.12 }, draw)
}
