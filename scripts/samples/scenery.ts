import type { Canvas } from './raster.ts'
import { seeded } from './seeded.ts'
import { blob, ellipse, heart, join, type Point, path, polygon, rect, roundRect, type Shape, star } from './shapes.ts'

export function sky(canvas: Canvas, ...colours: string[]): void {
  const { width, height } = canvas
  canvas.fill(rect(0, 0, width, height), { from: [0, 0], to: [0, height], colours })
}

/** A disc with rings of light around it. */
export function glow(canvas: Canvas, x: number, y: number, radius: number, colour: string, halo = `${colour}2a`): void {
  for (const ring of [2.6, 1.9, 1.35]) canvas.fill(ellipse(x, y, radius * ring), halo)
  canvas.fill(ellipse(x, y, radius), colour)
}

/** Rolling ground: the heights stand at equal distances from the left edge to the right. */
export function hill(canvas: Canvas, heights: readonly number[], ...colours: string[]): void {
  const { width, height } = canvas
  const points = heights.map((y, i): Point => [(i * width) / (heights.length - 1), y])
  const [first = 0, last = 0] = [heights[0], heights.at(-1)]
  const ground = blob([-60, first], ...points, [width + 60, last], [width + 60, height + 80], [-60, height + 80])
  const [top = '#000000', bottom] = colours
  const gradient = { from: [0, Math.min(...heights)], to: [0, height], colours } as const
  canvas.fill(ground, bottom ? gradient : top)
}

export function cloud(canvas: Canvas, x: number, y: number, scale: number, colour: string): void {
  canvas.at(x, y, { scale }, () => {
    canvas.fill(join(roundRect(-42, -12, 84, 24, 12), ellipse(-14, -14, 18), ellipse(12, -18, 22)), colour)
  })
}

export function stars(canvas: Canvas, seed: string, count: number, below: number, colour: string): void {
  const random = seeded(seed)
  for (let i = 0; i < count; i++) {
    const [x, y, size] = [random() * canvas.width, random() * below, 0.8 + random() * 1.2]
    canvas.fill(i % 5 === 0 ? star(x, y, size * 3, size * 0.9, 4) : ellipse(x, y, size), colour)
  }
}

export function snowfall(canvas: Canvas, seed: string, count: number, colour = '#ffffffdd'): void {
  const random = seeded(seed)
  for (let i = 0; i < count; i++) {
    canvas.fill(ellipse(random() * canvas.width, random() * canvas.height, 1.3 + random() * 2.4), colour)
  }
}

export function pine(canvas: Canvas, x: number, y: number, scale: number, colour: string, snow?: string): void {
  const tier = (top: number, half: number, bottom: number) =>
    path(`M0 ${top} L${half} ${bottom} Q0 ${bottom + 9} ${-half} ${bottom} Z`)
  canvas.at(x, y, { scale }, () => {
    canvas.fill(rect(-4, -16, 8, 18), '#5b4038')
    for (const [top, half, bottom] of [
      [-78, 34, -12],
      [-98, 27, -40],
      [-116, 19, -70],
    ] as const) {
      canvas.marked(tier(top, half, bottom), colour, () => {
        if (snow)
          canvas.fill(path(`M-40 ${top - 10} L40 ${top - 10} L40 ${top + 14} Q0 ${top + 34} -40 ${top + 14} Z`), snow)
      })
    }
  })
}

export function tree(canvas: Canvas, x: number, y: number, scale: number, leaves: string, light: string): void {
  canvas.at(x, y, { scale }, () => {
    canvas.fill(path('M-7 2 Q-3 -30 -6 -60 L6 -60 Q3 -30 7 2 Z'), '#7a5546')
    const crown = join(ellipse(0, -92, 40, 38), ellipse(-28, -72, 26, 24), ellipse(28, -72, 26, 24))
    canvas.marked(crown, leaves, () => canvas.fill(join(ellipse(-14, -104, 30, 28), ellipse(-34, -78, 18, 16)), light))
  })
}

export function grass(canvas: Canvas, seed: string, top: number, count: number, colours: readonly string[]): void {
  const random = seeded(seed)
  for (let i = 0; i < count; i++) {
    const x = ((i + random()) / count) * canvas.width
    const [tall, lean, base] = [18 + random() * 22, (random() - 0.5) * 22, canvas.height + 4]
    const tip = top + 24 - tall + random() * 8
    const colour = colours[i % colours.length] ?? '#000000'
    canvas.fill(
      path(`M${x - 6} ${base} Q${x - 4} ${tip + 20} ${x + lean} ${tip} Q${x + 6} ${tip + 22} ${x + 7} ${base} Z`),
      colour,
    )
  }
}

export function flower(canvas: Canvas, x: number, y: number, size: number, petals: string, middle = '#ffd166'): void {
  const shapes = [0, 1, 2, 3, 4].map((i) => {
    const angle = ((i * 72 - 90) * Math.PI) / 180
    return ellipse(x + Math.cos(angle) * size * 0.62, y + Math.sin(angle) * size * 0.62, size * 0.5)
  })
  canvas.fill(join(...shapes), petals)
  canvas.fill(ellipse(x, y, size * 0.36), middle)
}

export function hearts(canvas: Canvas, places: readonly (readonly [x: number, y: number, size: number])[]): void {
  for (const [x, y, size] of places) canvas.fill(heart(x, y, size), '#ec5a72')
}

export function leaf(canvas: Canvas, x: number, y: number, size: number, degrees: number, colour: string): void {
  canvas.at(x, y, { scale: size / 10, degrees }, () => {
    canvas.fill(path('M-10 0 Q-2 -9 10 0 Q-2 9 -10 0 Z'), colour)
    canvas.line('M-12 0 L5 0', 0.9, '#00000028')
  })
}

/** A soft shadow on the ground. */
export const shadow = (canvas: Canvas, x: number, y: number, half: number, colour = '#00000026'): void =>
  canvas.fill(ellipse(x, y, half, half * 0.14), colour)

/** Rays from a centre, over the whole picture. */
export function sunburst(canvas: Canvas, x: number, y: number, rays: number, colour: string): void {
  const reach = canvas.width + canvas.height
  const slice = (2 * Math.PI) / rays
  const ray = (i: number): Shape =>
    polygon(
      [x, y],
      [x + Math.cos(i * slice) * reach, y + Math.sin(i * slice) * reach],
      [x + Math.cos((i + 0.5) * slice) * reach, y + Math.sin((i + 0.5) * slice) * reach],
    )
  for (let i = 0; i < rays; i++) canvas.fill(ray(i), colour)
}
