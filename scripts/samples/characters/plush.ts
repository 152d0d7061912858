import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, ink, type Mood, mouth } from './face.ts'
import type { Coat } from './fox.ts'

export const brownBear: Coat = { fur: '#a9714b', shade: '#8a583a', pale: '#efd3ae', dark: '#5e3a28' }
export const greyBunny: Coat = { fur: '#e9dfe0', shade: '#cdbec2', pale: '#ffffff', dark: '#8c7a82' }

export function bearHead(canvas: Canvas, mood: Mood = 'calm', coat = brownBear): void {
  const [ear, inner] = [ellipse(42, -40, 20), ellipse(42, -40, 11)]
  canvas.fill(join(ear, mirror(ear)), coat.fur)
  canvas.fill(join(inner, mirror(inner)), '#e0a98a')
  canvas.fill(symmetric('M0 -52 C36 -52 58 -28 60 2 C62 34 38 52 0 52'), coat.fur)
  canvas.fill(ellipse(0, 24, 28, 23), coat.pale)
  blush(canvas, 42, 18, '#ff7a6a60')
  eyes(canvas, { mood, apart: 25, y: -5, lid: coat.fur })
  canvas.fill(symmetric('M0 9 C8 9 11 11 11 14.5 C10 19 5 22 0 22'), ink)
  canvas.fill(ellipse(-3, 12.6, 2.8, 1.5), '#ffffff66')
  mouth(canvas, mood, 29, 11)
}

export function bunnyHead(canvas: Canvas, mood: Mood = 'calm', coat = greyBunny): void {
  const ear = path('M6 -34 C0 -70 6 -118 24 -120 C44 -118 46 -70 36 -30 Z')
  const inner = path('M14 -38 C10 -68 14 -104 24 -106 C36 -104 36 -66 30 -36 Z')
  canvas.at(0, 0, { degrees: 4 }, () => {
    canvas.fill(join(ear, mirror(ear)), coat.fur)
    canvas.fill(join(inner, mirror(inner)), '#f4b8bf')
  })
  canvas.fill(symmetric('M0 -44 C34 -45 54 -24 56 4 C58 34 34 48 0 48'), coat.fur)
  canvas.fill(join(ellipse(-11, 24, 16, 13), ellipse(11, 24, 16, 13)), coat.pale)
  blush(canvas, 38, 16, '#ff8a9a70')
  eyes(canvas, { mood, apart: 24, y: -2, lid: coat.fur })
  canvas.fill(symmetric('M0 12 C5 12 7 13 7 15 C6 19 3 21 0 21'), '#e5707c')
  mouth(canvas, mood, 25, 10)
}

/** A plush body that stands on the origin, 120 tall; its head belongs 132 above the ground. */
export function plushBody(canvas: Canvas, coat: Coat): void {
  const foot = ellipse(26, -8, 20, 12)
  canvas.marked(symmetric('M0 -118 C28 -118 42 -96 48 -62 C54 -24 48 -2 0 0'), coat.fur, () => {
    canvas.fill(ellipse(0, -46, 31, 42), coat.pale)
    canvas.fill(ellipse(0, -100, 44, 22), `${coat.dark}33`)
  })
  canvas.fill(join(foot, mirror(foot)), coat.shade)
}

/** An arm in path notation, with an edge that sets it off from what it lies on. */
export function arm(canvas: Canvas, notation: string, { fur, shade }: Coat, width = 26): void {
  canvas.line(notation, width + 5, shade)
  canvas.line(notation, width, fur)
}

export type Hugger = { coat: Coat; head: (canvas: Canvas) => void; behind?: () => void }

/** Two in each other's arms; the origin is the ground between them. */
export function embrace(canvas: Canvas, left: Hugger, right: Hugger): void {
  for (const [side, { behind }] of [
    [-1, left],
    [1, right],
  ] as const) {
    canvas.at(side * 40, 0, { flip: side < 0 }, () => behind?.())
  }
  for (const [side, { coat }] of [
    [1, right],
    [-1, left],
  ] as const) {
    canvas.at(side * 43, 0, { degrees: side * -4 }, () => plushBody(canvas, coat))
  }
  arm(canvas, 'M82 -80 C66 -46 20 -44 -24 -60', right.coat, 24)
  arm(canvas, 'M-82 -84 C-64 -64 -10 -66 36 -84', left.coat, 24)
  canvas.at(54, -136, { degrees: -11 }, () => right.head(canvas))
  canvas.at(-54, -134, { degrees: 11 }, () => left.head(canvas))
}
