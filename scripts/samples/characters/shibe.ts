import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, ink, type Mood, mouth } from './face.ts'
import type { Coat } from './fox.ts'

export const sesame: Coat = { fur: '#e9a65a', shade: '#d18a3f', pale: '#fff5e6', dark: '#5b3a33' }

/** A shiba's head seen from the front; its middle is the origin, and it is 130 wide. */
export function shibeHead(canvas: Canvas, mood: Mood = 'happy', coat = sesame): void {
  const ear = path('M18 -46 C24 -66 38 -80 46 -82 Q52 -82 54 -74 C59 -56 60 -36 54 -16 Z')
  const inner = path('M29 -46 C33 -58 40 -66 45 -69 C49 -58 50 -42 47 -30 Z')
  canvas.fill(join(ear, mirror(ear)), coat.fur)
  canvas.fill(join(inner, mirror(inner)), '#f3c7a4')
  const head = symmetric('M0 -52 C26 -53 46 -44 54 -22 C58 -8 66 4 66 18 C64 40 38 54 0 54')
  canvas.marked(head, coat.fur, () => {
    const cheek = path('M0 70 L0 6 C14 6 22 14 30 22 C44 28 56 12 72 4 L80 70 Z')
    canvas.fill(join(cheek, mirror(cheek)), coat.pale)
    canvas.fill(ellipse(0, 24, 24, 21), coat.pale)
    canvas.fill(symmetric('M0 -56 C5 -46 6 -34 0 -24'), `${coat.shade}aa`)
  })
  canvas.fill(join(ellipse(-24, -20, 7.5, 5, -18), ellipse(24, -20, 7.5, 5, 18)), coat.pale)
  blush(canvas, 45, 20, '#ff8a7860', 8)
  eyes(canvas, { mood, apart: 26, y: -3, size: 7.5, lid: coat.fur })
  if (mood === 'happy') {
    canvas.fill(path('M-11 29 Q0 34 11 29 C11 44 5 49 0 49 C-5 49 -11 44 -11 29 Z'), '#8c3a42')
    canvas.fill(path('M-7 40 Q0 33 7 40 C6 47 3 49 0 49 C-3 49 -6 47 -7 40 Z'), '#f58a92')
  }
  canvas.fill(symmetric('M0 10 C8 10 11 12 11 15.5 C10 20 5 23 0 23'), ink)
  canvas.fill(ellipse(-3, 13.4, 2.8, 1.5), '#ffffff66')
  mouth(canvas, mood, 29, 13)
}

/** A shiba that sits and looks at you; the origin is the ground below it, and it is about 210 tall. */
export function sittingShibe(canvas: Canvas, mood: Mood = 'happy', coat = sesame, collar = '#d9434e'): void {
  shibeTail(canvas, coat)
  canvas.marked(symmetric('M0 -126 C30 -126 44 -98 50 -66 C58 -38 60 -10 44 -1 Q22 4 0 2'), coat.fur, () => {
    const thigh = path('M24 -2 C26 -32 48 -44 66 -34 L66 8 L24 8 Z')
    canvas.fill(join(thigh, mirror(thigh)), coat.shade)
    canvas.fill(symmetric('M0 -130 L38 -112 C38 -80 26 -58 0 -50'), coat.pale)
  })
  const leg = path('M1.5 -60 C16 -64 25 -56 24 -42 L23 -7 Q22 2 13 2 Q3 2 2.5 -6 Z')
  for (const turned of [leg, mirror(leg)]) {
    canvas.marked(turned, coat.fur, () => canvas.fill(path('M-40 -20 L40 -20 L40 9 L-40 9 Z'), coat.pale))
  }
  canvas.fill(symmetric('M0 -100 C20 -100 34 -106 42 -114 L46 -102 C36 -92 20 -87 0 -87'), collar)
  canvas.fill(ellipse(0, -84, 8), '#f6c445')
  canvas.at(0, -144, {}, () => shibeHead(canvas, mood, coat))
}

function shibeTail(canvas: Canvas, coat: Coat): void {
  canvas.line('M36 -22 C72 -22 90 -52 78 -72 C68 -86 48 -78 54 -62', 24, coat.fur, 15)
  canvas.line('M76 -64 C68 -80 50 -76 55 -62', 13, coat.pale, 10)
}

/** A shiba lying down like a loaf, facing you; the origin is the ground below its middle, and it is about 190 wide. */
export function lyingShibe(canvas: Canvas, mood: Mood = 'asleep', coat = sesame): void {
  canvas.line('M84 -50 C112 -60 116 -96 92 -100 C76 -100 74 -84 86 -82', 22, coat.shade, 14)
  canvas.fill(path('M-70 0 C-92 -50 -40 -92 20 -92 C84 -92 116 -50 102 -12 Q98 2 84 2 L-60 2 Z'), coat.fur)
  canvas.fill(path('M46 2 C42 -34 70 -52 96 -44 C106 -34 106 -18 102 -10 Q98 2 84 2 Z'), coat.shade)
  canvas.fill(path('M50 2 Q46 -18 66 -18 L94 -18 Q104 -18 104 -8 Q104 2 94 2 Z'), coat.pale)
  canvas.at(-34, -60, {}, () => shibeHead(canvas, mood, coat))
  for (const x of [-84, -22])
    canvas.fill(
      path(
        `M${x} -9 Q${x} -21 ${x + 20} -21 Q${x + 42} -21 ${x + 42} -8 Q${x + 42} 3 ${x + 30} 3 L${x + 10} 3 Q${x} 3 ${x} -9 Z`,
      ),
      coat.pale,
    )
}
