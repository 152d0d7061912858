import { hsl } from '../colours.ts'
import type { Canvas } from '../raster.ts'
import { seeded } from '../seeded.ts'
import { ellipse, join, mirror, path, type Shape, star, stroke, symmetric } from '../shapes.ts'
import { blush, eyes, type Mood, mouth } from './face.ts'

export type Creature = { hue: number; draw: (canvas: Canvas, mood: Mood) => void }

const bodies = [
  'M0 -150 C50 -150 72 -112 74 -70 C78 -20 60 0 0 0',
  'M0 -166 C36 -166 46 -130 54 -92 C70 -40 70 0 0 0',
  'M0 -140 C64 -142 84 -104 84 -62 C84 -14 56 0 0 0',
  'M0 -158 C40 -158 60 -132 58 -100 C60 -80 84 -58 78 -30 C72 -4 40 0 0 0',
]

const ears: readonly (() => Shape)[] = [
  () => ellipse(48, -140, 22),
  () => path('M14 -142 C26 -166 44 -186 56 -192 C66 -170 66 -140 58 -112 Z'),
  () => path('M12 -140 C4 -176 14 -222 32 -222 C52 -218 52 -170 42 -128 Z'),
  () => join(stroke(path('M22 -140 Q26 -172 44 -186'), 7), ellipse(46, -190, 11)),
  () => path('M30 -136 C34 -168 52 -184 76 -186 C66 -174 66 -146 58 -118 Z'),
]

/** A friendly creature that nobody has seen, the same one for the same name; it stands on the origin, 150 to 220 tall. */
export function creatureOf(name: string): Creature {
  const random = seeded(name)
  const pick = <T>(list: readonly T[], fallback: T): T => list[Math.floor(random() * list.length)] ?? fallback
  const hue = Math.floor(random() * 360)
  const [fur, shade, pale] = [hsl(hue, 52, 64), hsl(hue, 42, 51), hsl((hue + 20) % 360, 70, 92)]
  const accent = hsl((hue + 150 + random() * 60) % 360, 70, 64)
  const body = symmetric(pick(bodies, bodies[0] ?? ''))
  const ear = pick(ears, () => ellipse(48, -140, 22))()
  const markings = pick(['spots', 'stripes', 'plain'], 'plain')
  const crest = random() < 0.4

  const draw = (canvas: Canvas, mood: Mood): void => {
    canvas.line('M50 -24 C90 -20 108 -46 100 -76', 22, shade, 13)
    canvas.fill(ellipse(100, -78, 13), accent)
    canvas.fill(join(ear, mirror(ear)), shade)
    if (crest) canvas.fill(join(...[-16, 0, 16].map((x) => ellipse(x, -156, 8, 17, x * 1.4))), accent)
    canvas.marked(body, fur, () => {
      if (markings === 'spots') {
        for (const [x, y, size] of [
          [-58, -92, 12],
          [-66, -58, 8],
          [60, -84, 10],
          [66, -52, 13],
          [-48, -122, 7],
        ] as const) {
          canvas.fill(ellipse(x, y, size), shade)
        }
      }
      if (markings === 'stripes') {
        for (const y of [-86, -62, -38])
          for (const side of [-1, 1]) canvas.line(`M${side * 90} ${y} L${side * 48} ${y + 6}`, 9, shade, 4)
      }
      canvas.fill(ellipse(0, -28, 40, 38), pale)
    })
    const [foot, hand] = [ellipse(30, -4, 21, 11), path('M52 -62 C66 -58 66 -38 44 -34 C34 -34 34 -46 52 -62 Z')]
    canvas.fill(join(foot, mirror(foot), hand, mirror(hand)), shade)
    blush(canvas, 40, -84, '#ff6f7d66', 9)
    eyes(canvas, { mood, apart: 25, y: -102, size: 9, lid: fur })
    mouth(canvas, mood, -84, 9)
    if (markings === 'plain') canvas.fill(star(0, -30, 14, 6, 5), accent)
  }
  return { hue, draw }
}
