import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, type Mood } from './face.ts'

const coat = '#34405e'

/** A penguin seen from the front; the origin is the ground below it, and it is 190 tall. */
export function penguin(canvas: Canvas, mood: Mood = 'calm', colour = coat): void {
  const foot = ellipse(22, -3, 20, 9)
  canvas.fill(join(foot, mirror(foot)), '#f5a33c')
  canvas.marked(symmetric('M0 -190 C38 -190 58 -162 60 -124 C72 -84 70 -28 52 -8 Q30 2 0 2'), colour, () => {
    const face = ellipse(22, -132, 30, 34)
    canvas.fill(join(face, mirror(face), ellipse(0, -52, 50, 66)), '#fdf6ea')
    canvas.fill(symmetric('M0 -200 L20 -200 C16 -170 10 -156 0 -146'), colour)
  })
  blush(canvas, 38, -118, '#ff8a7a70', 8)
  eyes(canvas, { mood, apart: 24, y: -138, lid: '#fdf6ea' })
  canvas.fill(symmetric('M0 -132 C8 -132 13 -128 13 -124 C10 -117 5 -114 0 -113'), '#f5a33c')
  canvas.fill(symmetric('M0 -122 C5 -122 9 -123 13 -124 C10 -117 5 -114 0 -113'), '#e08a26')
}

/** A flipper that reaches from the shoulder at the origin to the right. */
export function flipper(canvas: Canvas, degrees: number, colour = coat): void {
  canvas.at(0, 0, { degrees }, () =>
    canvas.fill(path('M-12 -12 C20 -22 60 -16 84 6 C70 20 20 20 -10 14 Q-20 0 -12 -12 Z'), colour),
  )
}
