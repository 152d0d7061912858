import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, ink, type Mood } from './face.ts'

export type Plumage = { back: string; wing: string; belly: string; beak: string }

export const robin: Plumage = { back: '#8a6f63', wing: '#6f574f', belly: '#f2793d', beak: '#4c3a3a' }
export const bluebird: Plumage = { back: '#4a90d9', wing: '#3573b9', belly: '#ffd9a8', beak: '#f3a73c' }
export const rosefinch: Plumage = { back: '#ef7f8f', wing: '#d65f78', belly: '#ffe3d3', beak: '#f3a73c' }

/** A small round bird that looks to the right; its middle is the origin, its feet stand 66 below. */
export function roundBird(canvas: Canvas, { back, wing, belly, beak }: Plumage, mood: Mood = 'calm'): void {
  for (const x of [-4, 16]) canvas.line(`M${x} 44 L${x} 64 M${x - 3} 65 L${x + 10} 65`, 3.6, '#7a5348')
  canvas.fill(path('M-36 2 L-96 -4 Q-100 8 -92 18 L-36 38 Z'), wing)
  canvas.fill(path('M54 -40 Q70 -36 76 -28 Q66 -20 54 -18 Z'), beak)
  const body = path(
    'M-52 10 C-52 -20 -24 -34 -8 -52 C4 -70 44 -70 55 -40 C62 -18 62 8 48 30 C34 54 -2 58 -26 46 C-44 38 -52 24 -52 10 Z',
  )
  canvas.marked(body, back, () => {
    canvas.fill(path('M70 -40 C40 -40 14 -24 10 6 C8 30 -10 40 -30 48 L10 80 L90 60 Z'), belly)
    canvas.fill(path('M10 80 C40 50 50 20 54 -20 L90 0 L60 80 Z'), '#00000014')
  })
  canvas.fill(path('M-30 -8 C-10 -22 14 -10 16 8 C12 30 -24 36 -72 20 C-54 14 -40 6 -30 -8 Z'), wing)
  canvas.line('M-50 18 C-24 22 -8 18 2 8', 2.4, '#ffffff44')
  canvas.fill(ellipse(40, -22, 7, 4.6), '#ff5f6d66')
  canvas.at(30, -37, {}, () => {
    if (mood === 'happy') return canvas.line('M-6 2 Q0 -8 6 2', 3.2, ink)
    if (mood === 'asleep') return canvas.line('M-6 -2 Q0 6 6 -2', 3.2, ink)
    canvas.fill(ellipse(0, 0, 6.6, 7.6), ink)
    canvas.fill(ellipse(2, -2.6, 2.5), '#ffffff')
  })
}

/** An owl seen from the front; the origin is the branch it sits on, and it is 150 tall. */
export function owl(canvas: Canvas, mood: Mood = 'calm'): void {
  const body = symmetric('M0 -140 C26 -142 44 -150 58 -160 C58 -138 60 -122 62 -104 C72 -50 58 4 0 4')
  canvas.marked(body, '#9a6b4f', () => {
    canvas.fill(ellipse(0, -22, 42, 56), '#ecd2a8')
    for (const [row, count] of [
      [-54, 3],
      [-38, 4],
      [-22, 3],
      [-6, 4],
    ] as const) {
      for (let i = 0; i < count; i++) {
        const x = (i - (count - 1) / 2) * 18
        canvas.line(`M${x - 5} ${row} Q${x} ${row + 8} ${x + 5} ${row}`, 3, '#b98a5e')
      }
    }
    const face = ellipse(26, -100, 31, 33)
    canvas.fill(join(face, mirror(face)), '#e4c093')
  })
  const wing = path('M58 -96 C84 -70 82 -22 54 -2 C44 -30 44 -66 58 -96 Z')
  canvas.fill(join(wing, mirror(wing)), '#7f543f')
  const ring = ellipse(26, -100, 23)
  canvas.fill(join(ring, mirror(ring)), '#fff6e3')
  if (mood === 'calm') {
    const iris = ellipse(25, -100, 18)
    canvas.fill(join(iris, mirror(iris)), '#f5ae35')
    eyes(canvas, { mood, apart: 25, y: -100, size: 13, lid: '#e4c093' })
  } else eyes(canvas, { mood, apart: 26, y: -100, size: 13, lid: '#e4c093' })
  canvas.fill(symmetric('M0 -92 C7 -92 10 -86 8 -80 Q5 -72 0 -66'), '#f08c3a')
  blush(canvas, 43, -72, '#ff7a6a66', 7)
  for (const x of [-24, -14, 14, 24]) canvas.fill(ellipse(x, 4, 5.5, 8), '#f08c3a')
}

/** A toucan that looks to the right; the origin is the branch below it, and it is about 170 tall. */
export function toucan(canvas: Canvas): void {
  canvas.fill(path('M-42 -30 L-62 70 Q-48 80 -36 72 L-14 -10 Z'), '#2b2b3a')
  const body = path(
    'M-46 -30 C-56 -100 -36 -168 20 -170 C58 -170 74 -142 66 -116 C60 -96 62 -60 44 -28 C30 -2 -34 8 -46 -30 Z',
  )
  canvas.marked(body, '#2f3142', () => {
    canvas.fill(path('M90 -156 C46 -156 20 -136 20 -106 C20 -76 44 -62 90 -66 Z'), '#fff6e3')
    canvas.fill(path('M16 -84 C30 -64 50 -62 90 -70 L90 -54 C56 -48 30 -48 10 -70 Z'), '#e8483f')
  })
  const beak = path(
    'M56 -146 C86 -168 140 -164 158 -128 C166 -110 160 -96 154 -92 C146 -112 110 -110 62 -106 C54 -118 52 -134 56 -146 Z',
  )
  canvas.marked(beak, '#f9a826', () => {
    canvas.fill(path('M40 -122 C90 -128 130 -124 170 -100 L170 -80 L40 -80 Z'), '#f0782c')
    canvas.fill(path('M132 -170 L180 -170 L180 -80 L146 -90 C150 -110 146 -140 132 -170 Z'), '#3a2a33')
    canvas.fill(path('M60 -146 C86 -160 112 -158 128 -148 C104 -150 84 -146 62 -136 Z'), '#ffd166')
  })
  canvas.fill(ellipse(38, -136, 14), '#5cb8e4')
  canvas.fill(ellipse(39, -136, 8), ink)
  canvas.fill(ellipse(41.5, -139, 2.8), '#ffffff')
  canvas.fill(path('M-40 -84 C-14 -100 18 -78 16 -46 C12 -16 -20 -2 -46 22 C-52 -10 -52 -54 -40 -84 Z'), '#1f2130')
  canvas.line('M-34 -10 C-14 -20 0 -34 4 -50', 3, '#ffffff26')
  for (const x of [-8, 2, 20, 30]) canvas.fill(ellipse(x, 0, 5.5, 8), '#6d7f9c')
}

/** A swallow that flies to the right; the middle of its body is the origin, and it is about 230 wide. */
export function swallow(canvas: Canvas): void {
  canvas.fill(path('M26 -10 C28 -60 52 -104 100 -126 C104 -84 84 -34 46 -4 Z'), '#2c5a96')
  canvas.fill(path('M-44 8 L-132 -16 L-88 14 L-128 44 L-44 24 Z'), '#2c5a96')
  canvas.fill(path('M70 -16 L96 -4 L68 4 Z'), '#f3a73c')
  canvas.marked(path('M-64 18 C-24 -20 28 -40 58 -26 C76 -18 78 0 68 10 C44 38 -10 40 -64 18 Z'), '#3f78bd', () => {
    canvas.fill(path('M-80 22 C-20 26 20 20 40 4 C56 -2 70 6 84 -4 L84 60 L-80 60 Z'), '#fff3e0')
    canvas.fill(path('M46 -2 C58 -8 74 -4 86 -8 L84 16 C70 14 56 14 46 -2 Z'), '#e9694f')
  })
  canvas.marked(path('M18 -12 C4 -60 -30 -112 -92 -136 C-88 -84 -66 -20 -22 12 C0 20 20 8 18 -12 Z'), '#4a8ad0', () => {
    canvas.fill(path('M-100 -140 C-90 -80 -60 -24 -16 4 L-40 30 L-120 -60 Z'), '#356fb5')
  })
  canvas.fill(ellipse(52, -14, 5.4, 6.2), ink)
  canvas.fill(ellipse(53.8, -16.4, 2), '#ffffff')
}
