import type { Canvas } from '../raster.ts'
import { ellipse, heart, join, path, roundRect, type Shape } from '../shapes.ts'
import { ink, type Mood } from './face.ts'
import type { Coat } from './fox.ts'

export const russet: Coat = { fur: '#b8683c', shade: '#94502e', pale: '#dc9c63', dark: '#5a2f22' }
export const blackAndTan: Coat = { fur: '#453a48', shade: '#322a36', pale: '#d98f4e', dark: '#211b24' }

/** A dachshund's head that looks to the right; the middle of its skull is the origin. */
export function dachshundHead(canvas: Canvas, mood: Mood = 'calm', coat = russet): void {
  const head = path(
    'M-30 4 C-32 -26 -8 -38 14 -34 C30 -31 38 -20 52 -14 C66 -10 82 -9 84 3 C85 15 72 21 56 24 C38 28 14 34 -6 32 C-22 30 -29 18 -30 4 Z',
  )
  canvas.marked(head, coat.fur, () => {
    canvas.fill(path('M92 -2 C72 2 50 2 36 12 C26 20 10 24 2 40 L92 40 Z'), coat.pale)
    canvas.fill(ellipse(26, -22, 7, 4.4, 14), coat.pale)
  })
  canvas.line('M80 14 C66 19 54 20 40 15', 2.6, coat.dark)
  canvas.fill(ellipse(79, -3, 8.5, 7), ink)
  canvas.fill(ellipse(77, -5.5, 2.8, 1.6), '#ffffff77')
  canvas.at(22, -8, {}, () => {
    if (mood === 'happy') return canvas.line('M-6 2 Q0 -8 7 2', 3.2, ink)
    if (mood === 'asleep') return canvas.line('M-6 -2 Q0 7 7 -1', 3.2, ink)
    if (mood === 'loving') return canvas.fill(heart(0, 0, 8), '#e8486b')
    canvas.fill(ellipse(0, 0, 5.6, 6.6), ink)
    canvas.fill(ellipse(1.8, -2.3, 2.2), '#ffffff')
  })
  canvas.fill(ellipse(36, 8, 7, 4.6), '#ff6f6d44')
  const ear = path('M4 -26 C-12 -37 -34 -24 -40 8 C-46 40 -32 56 -16 51 C2 46 10 8 4 -26 Z')
  canvas.marked(ear, coat.shade, () => canvas.fill(path('M-60 30 C-34 40 -16 30 0 -30 L-60 -40 Z'), `${coat.dark}33`))
}

type Long = { length?: number; mood?: Mood; coat?: Coat; clothes?: () => void; step?: number }

/** A dachshund that walks to the right; the origin is the ground below its middle. */
export function longDog(
  canvas: Canvas,
  { length = 190, mood = 'calm', coat = russet, clothes, step = 6 }: Long = {},
): void {
  const half = length / 2
  const leg = (x: number, lean: number): Shape =>
    path(
      `M${x - 12} -46 L${x + 14} -46 L${x + 11 + lean} -8 Q${x + 20 + lean} -6 ${x + 20 + lean} 0 L${x - 8 + lean} 0 Z`,
    )
  canvas.line(`M${-half} -58 C${-half - 30} -62 ${-half - 44} -84 ${-half - 40} -108`, 13, coat.fur, 5)
  for (const [x, lean] of [
    [half + 14, step],
    [-half + 34, step],
  ] as const)
    canvas.fill(leg(x, lean), coat.shade)
  for (const [x, lean] of [
    [half - 8, -step],
    [-half + 6, -step],
  ] as const) {
    canvas.marked(leg(x, lean), coat.fur, () => canvas.fill(roundRect(x - 60, -13, 120, 20, 0), coat.pale))
  }
  const body = path(
    `M${-half - 14} -44 C${-half - 18} -72 ${-half + 4} -86 ${-half + 36} -84 C${-half + 80} -80 ${half - 70} -78 ${half - 36} -82 ` +
      `C${half - 14} -86 ${half - 6} -104 ${half - 2} -124 L${half + 46} -106 C${half + 48} -80 ${half + 48} -34 ${half + 16} -24 ` +
      `C${half - 20} -16 ${half - 60} -26 ${half - 90} -26 L${-half + 40} -28 C${-half + 14} -20 ${-half - 10} -24 ${-half - 14} -44 Z`,
  )
  canvas.marked(body, coat.fur, () => {
    canvas.fill(
      path(`M${half + 60} -96 C${half + 24} -90 ${half + 20} -50 ${half - 20} -16 L${half + 60} -10 Z`),
      coat.pale,
    )
    canvas.fill(
      path(
        `M${-half - 40} -24 C${-half + 60} -40 ${half - 60} -40 ${half - 10} -28 L${half - 10} 0 L${-half - 40} 0 Z`,
      ),
      `${coat.dark}2e`,
    )
    clothes?.()
  })
  canvas.at(half + 16, -130, {}, () => dachshundHead(canvas, mood, coat))
}

/** A collar for the long dog of that length. */
export function dogCollar(canvas: Canvas, length: number, colour: string): void {
  const x = length / 2
  canvas.line(`M${x - 6} -100 Q${x + 14} -84 ${x + 46} -88`, 9, colour)
  canvas.fill(join(ellipse(x + 30, -79, 6.5)), '#f6c445')
}
