import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, ink, type Mood } from './face.ts'

export type Coat = { fur: string; shade: string; pale: string; dark: string }

export const redFox: Coat = { fur: '#ee7a32', shade: '#d35f22', pale: '#fff3e4', dark: '#4a2b30' }
export const paleFox: Coat = { fur: '#f6a04d', shade: '#dd8136', pale: '#fff6e9', dark: '#5a3434' }

/** A fox's head seen from the front; its middle is the origin, and it is 130 wide. */
export function foxHead(canvas: Canvas, mood: Mood = 'calm', coat = redFox): void {
  const ear = path('M10 -30 C16 -58 34 -84 47 -88 Q52 -88 53 -80 C57 -56 55 -30 46 -8 Z')
  const inner = path('M22 -34 C26 -52 36 -68 44 -73 C47 -56 47 -38 42 -22 Z')
  for (const turned of [ear, mirror(ear)]) {
    canvas.marked(turned, coat.fur, () => canvas.fill(join(path('M-70 -62 L70 -62 L70 -99 L-70 -99 Z')), coat.dark))
  }
  canvas.fill(join(inner, mirror(inner)), coat.pale)
  canvas.fill(
    join(
      path('M30 -34 C33 -46 38 -56 43 -62 C45 -50 45 -40 42 -28 Z'),
      path('M-30 -34 L-42 -28 C-45 -40 -45 -50 -43 -62 C-38 -56 -33 -46 -30 -34 Z'),
    ),
    '#e8b7a0',
  )

  const head = symmetric('M0 -40 C24 -41 42 -31 48 -12 C52 2 60 14 67 20 C58 30 42 36 28 42 C18 50 10 56 0 56')
  canvas.marked(head, coat.fur, () => {
    canvas.fill(symmetric('M0 -40 C6 -34 9 -26 0 -12'), coat.shade)
    const cheek = path('M0 60 C5 36 6 14 27 11 C42 9 56 14 74 22 L60 70 Z')
    canvas.fill(join(cheek, mirror(cheek), ellipse(0, 56, 13, 16)), coat.pale)
  })
  blush(canvas, 43, 24, '#ff8a7855', 7)
  eyes(canvas, { mood, apart: 25, y: 2, lid: coat.fur })
  canvas.fill(symmetric('M0 33 C6 33 9 35 9 38 C8 43 4 46 0 46'), ink)
  canvas.fill(ellipse(-2.5, 36.4, 2.4, 1.4), '#ffffff66')
  if (mood === 'dazed') canvas.fill(ellipse(0, 50.5, 3.6, 2.8), ink)
  if (mood !== 'smug') return
  canvas.line('M0 44 L0 48 Q10 51 18 40', 2.6, ink)
  canvas.line('M15 37 Q19 38 20.5 41.5', 2.4, ink)
}

/** A fox that sits and looks at you; the origin is the ground below it, and it is about 230 tall. */
export function sittingFox(canvas: Canvas, mood: Mood = 'calm', coat = redFox): void {
  foxTail(canvas, coat)
  canvas.marked(symmetric('M0 -128 C26 -128 36 -104 42 -72 C50 -44 54 -14 40 -2 Q20 4 0 2'), coat.fur, () => {
    canvas.fill(path('M20 -2 C22 -30 44 -42 60 -34 L60 8 L20 8 Z'), coat.shade)
    canvas.fill(path('M-20 -2 C-22 -30 -44 -42 -60 -34 L-60 8 L-20 8 Z'), coat.shade)
    canvas.fill(symmetric('M0 -130 L34 -116 C32 -96 16 -80 0 -66'), coat.pale)
    canvas.fill(symmetric('M0 -130 L40 -130 C30 -100 14 -88 0 -88'), `${coat.shade}66`)
  })
  const leg = path('M1.5 -58 C14 -62 22 -56 21 -42 L19 -6 Q19 2 11 2 Q2.5 2 2.5 -6 Z')
  for (const turned of [leg, mirror(leg)]) {
    canvas.marked(turned, coat.fur, () => canvas.fill(path('M-40 -26 L40 -26 L40 9 L-40 9 Z'), coat.dark))
  }
  canvas.at(0, -146, {}, () => foxHead(canvas, mood, coat))
}

export function foxTail(canvas: Canvas, coat = redFox): void {
  const tail = path(
    'M26 -6 C70 6 108 -14 104 -56 C102 -80 90 -96 78 -104 C78 -88 70 -78 62 -66 C50 -48 56 -30 26 -24 Z',
  )
  canvas.marked(tail, coat.fur, () => {
    canvas.fill(
      path('M60 -120 L120 -120 L120 -62 C108 -74 104 -60 96 -72 C88 -62 82 -76 74 -66 C68 -62 62 -74 50 -64 Z'),
      coat.pale,
    )
    canvas.fill(path('M30 0 C74 4 96 -20 94 -60 L120 -60 L120 10 Z'), `${coat.shade}88`)
  })
}

/** A fox curled up, asleep; the origin is the ground below its middle, and it is about 200 wide. */
export function curledFox(canvas: Canvas, coat = redFox): void {
  canvas.fill(path('M-92 0 C-112 -40 -82 -96 -14 -98 C58 -100 108 -64 100 -22 C98 -6 88 2 70 2 L-80 2 Z'), coat.fur)
  canvas.fill(path('M20 -97 C78 -88 108 -52 100 -14 C98 -4 88 2 70 2 L40 2 C92 -8 84 -66 20 -97 Z'), coat.shade)
  canvas.at(-44, -46, { scale: 0.84, degrees: -7 }, () => foxHead(canvas, 'asleep', coat))
  const tail = path('M98 -30 C102 2 72 14 20 13 C-14 13 -40 8 -56 -6 C-34 -10 -26 -24 4 -26 C40 -28 60 -12 76 -40 Z')
  canvas.marked(tail, coat.fur, () => {
    canvas.fill(path('M-70 20 L-70 -30 L-14 -32 C-22 -20 -8 -14 -16 -6 C-6 0 -14 10 -6 24 Z'), coat.pale)
  })
  canvas.line('M84 -46 C66 -18 42 -28 8 -26 C-22 -24 -34 -10 -56 -6', 2.4, `${coat.dark}38`)
}
