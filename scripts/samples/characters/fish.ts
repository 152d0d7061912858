import type { Canvas } from '../raster.ts'
import { ellipse, path } from '../shapes.ts'
import { ink } from './face.ts'

export type Scales = { body: string; fin: string; belly: string; stripe: string }

export const koi: Scales = { body: '#f58a4b', fin: '#e0652f', belly: '#ffd9a8', stripe: '#fff3e2' }
export const tang: Scales = { body: '#5f8fe8', fin: '#3f6bc4', belly: '#c4dcff', stripe: '#ffe07a' }

/** A fish that looks to the right and purses its lips, which touch x = 72; its middle is the origin. */
export function fish(canvas: Canvas, { body, fin, belly, stripe }: Scales, shut = false): void {
  canvas.fill(path('M-50 0 C-70 -34 -96 -44 -108 -36 C-98 -14 -98 14 -108 36 C-96 44 -70 34 -50 0 Z'), fin)
  canvas.fill(path('M-30 -32 C-20 -66 20 -68 40 -34 Z'), fin)
  canvas.fill(path('M-16 34 C-24 58 4 62 14 36 Z'), fin)
  canvas.fill(path('M56 2 C62 -8 72 -8 72 0 C76 4 74 16 60 12 Z'), '#e2566b')
  canvas.marked(path('M-62 0 C-44 -46 40 -58 62 -6 C66 4 62 14 56 20 C30 54 -40 44 -62 0 Z'), body, () => {
    canvas.fill(path('M-70 10 C-20 34 30 26 70 8 L70 60 L-70 60 Z'), belly)
    canvas.fill(path('M4 -60 C16 -20 16 20 2 60 L-14 60 C-2 20 -2 -20 -12 -60 Z'), stripe)
    canvas.fill(path('M-34 -60 C-26 -20 -26 20 -36 60 L-46 60 C-38 20 -38 -20 -44 -60 Z'), stripe)
  })
  canvas.fill(path('M2 8 C-18 0 -34 12 -34 26 C-20 30 -2 26 2 8 Z'), fin)
  canvas.fill(ellipse(46, 10, 7, 4.6), '#ff5f7d66')
  if (shut) return canvas.line('M26 -12 Q34 -22 42 -12', 3.4, ink)
  canvas.fill(ellipse(34, -12, 11), '#ffffff')
  canvas.fill(ellipse(37, -12, 7), ink)
  canvas.fill(ellipse(39, -15, 2.4), '#ffffff')
}
