import type { Canvas } from '../raster.ts'
import { ellipse, heart, join, rect } from '../shapes.ts'

export type Mood = 'calm' | 'happy' | 'asleep' | 'smug' | 'loving' | 'dazed'

export const ink = '#2e2230'

type Eyes = { mood: Mood; apart: number; y: number; size?: number; lid: string; colour?: string }

/** A pair of eyes, so far apart from the axis x = 0. */
export function eyes(canvas: Canvas, { mood, apart, y, size = 7, lid, colour = ink }: Eyes): void {
  for (const side of [-1, 1]) {
    canvas.at(side * apart, y, {}, () => {
      if (mood === 'happy')
        return canvas.line(`M${-size} ${size * 0.35} Q0 ${-size * 1.15} ${size} ${size * 0.35}`, 3.2, colour)
      if (mood === 'asleep')
        return canvas.line(`M${-size} ${-size * 0.2} Q0 ${size * 1.1} ${size} ${-size * 0.2}`, 3.2, colour)
      if (mood === 'loving') return canvas.fill(heart(0, 0, size * 1.05), '#e8486b')
      if (mood === 'dazed') {
        const tip = side * size * -0.6
        return canvas.line(`M${-tip} ${-size * 0.8} L${tip} 0 L${-tip} ${size * 0.8}`, 3.2, colour)
      }
      if (mood === 'smug') return smugEye(canvas, size, lid, side)
      canvas.fill(ellipse(0, 0, size * 0.86, size), colour)
      canvas.fill(
        join(ellipse(size * 0.25, -size * 0.36, size * 0.34), ellipse(-size * 0.3, size * 0.4, size * 0.16)),
        '#ffffff',
      )
    })
  }
}

function smugEye(canvas: Canvas, size: number, lid: string, side: number): void {
  const width = size * 1.3
  canvas.within(ellipse(0, 0, width, size * 1.15), () => {
    canvas.fill(rect(-width * 2, -size * 0.2, width * 4, size * 2), '#ffffff')
    canvas.fill(ellipse(size * 0.5, size * 0.25, size * 0.72, size * 0.8), ink)
    canvas.fill(ellipse(size * 0.75, size * 0.25, size * 0.2), '#ffffff')
    canvas.fill(rect(-width * 2, -size * 2, width * 4, size * 1.8), lid)
  })
  canvas.line(`M${-width - 1} ${-size * 0.12} L${width + 1} ${-size * 0.2}`, 3.2, ink)
  const lift = side > 0 ? size * 0.9 : 0
  canvas.line(
    `M${-width} ${-size * 1.3 - lift * 0.5} Q0 ${-size * 1.9 - lift} ${width} ${-size * 1.35 - lift * 0.7}`,
    3,
    ink,
  )
}

/** A muzzle's mouth under the nose at x = 0. */
export function mouth(canvas: Canvas, mood: Mood, y: number, width = 10, colour = ink): void {
  const w = width
  if (mood === 'smug') {
    canvas.line(`M${-w * 0.6} ${y + 3} Q${w * 0.5} ${y + 7} ${w * 1.5} ${y - 3}`, 2.8, colour)
    return canvas.line(`M${w * 1.3} ${y - 6} Q${w * 1.75} ${y - 4} ${w * 1.7} ${y}`, 2.4, colour)
  }
  if (mood === 'dazed')
    return canvas.line(`M${-w} ${y + 5} Q${-w * 0.5} ${y} 0 ${y + 5} Q${w * 0.5} ${y + 10} ${w} ${y + 4}`, 2.6, colour)
  canvas.line(`M0 ${y - 3} L0 ${y} Q${w * 0.55} ${y + w * 0.65} ${w} ${y + 0.5}`, 2.6, colour)
  canvas.line(`M0 ${y} Q${-w * 0.55} ${y + w * 0.65} ${-w} ${y + 0.5}`, 2.6, colour)
}

export function blush(canvas: Canvas, apart: number, y: number, colour = '#ff6f7d66', size = 8): void {
  canvas.fill(join(ellipse(-apart, y, size, size * 0.62), ellipse(apart, y, size, size * 0.62)), colour)
}
