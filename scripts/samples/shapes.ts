export type Point = readonly [number, number]

/** Closed outlines, already flattened to straight pieces; filled by the nonzero rule. */
export type Shape = readonly (readonly Point[])[]

const curveSteps = 20

export const polygon = (...points: Point[]): Shape => [points]

export function ellipse(cx: number, cy: number, rx: number, ry = rx, degrees = 0): Shape {
  const steps = Math.max(24, Math.ceil(Math.sqrt(Math.max(rx, ry)) * 8))
  const turn = (degrees * Math.PI) / 180
  const points: Point[] = []
  for (let i = 0; i < steps; i++) {
    const angle = (i / steps) * 2 * Math.PI
    const x = Math.cos(angle) * rx
    const y = Math.sin(angle) * ry
    points.push([cx + x * Math.cos(turn) - y * Math.sin(turn), cy + x * Math.sin(turn) + y * Math.cos(turn)])
  }
  return [points]
}

export const rect = (x: number, y: number, width: number, height: number): Shape =>
  polygon([x, y], [x + width, y], [x + width, y + height], [x, y + height])

export function roundRect(x: number, y: number, width: number, height: number, radius: number): Shape {
  const r = Math.min(radius, width / 2, height / 2)
  const corners: Point[] = [
    [x + width - r, y + height - r],
    [x + r, y + height - r],
    [x + r, y + r],
    [x + width - r, y + r],
  ]
  return [
    corners.flatMap(([cx, cy], corner) =>
      Array.from({ length: 9 }, (_, i): Point => {
        const angle = ((corner + i / 8) * Math.PI) / 2
        return [cx + Math.cos(angle) * r, cy + Math.sin(angle) * r]
      }),
    ),
  ]
}

export function star(cx: number, cy: number, outer: number, inner: number, tips: number, degrees = -90): Shape {
  const points = Array.from({ length: tips * 2 }, (_, i): Point => {
    const angle = (degrees * Math.PI) / 180 + (i * Math.PI) / tips
    const radius = i % 2 === 0 ? outer : inner
    return [cx + Math.cos(angle) * radius, cy + Math.sin(angle) * radius]
  })
  return [points]
}

export function heart(cx: number, cy: number, size: number): Shape {
  const s = size
  return path(
    `M${cx} ${cy + s} C${cx - s * 0.5} ${cy + s * 0.55} ${cx - s * 1.05} ${cy + s * 0.2} ${cx - s * 1.05} ${cy - s * 0.3} ` +
      `C${cx - s * 1.05} ${cy - s * 1.05} ${cx - s * 0.2} ${cy - s * 1.1} ${cx} ${cy - s * 0.45} ` +
      `C${cx + s * 0.2} ${cy - s * 1.1} ${cx + s * 1.05} ${cy - s * 1.05} ${cx + s * 1.05} ${cy - s * 0.3} ` +
      `C${cx + s * 1.05} ${cy + s * 0.2} ${cx + s * 0.5} ${cy + s * 0.55} ${cx} ${cy + s} Z`,
  )
}

/** Path notation with absolute M, L, Q, C, S and Z. */
export function path(notation: string): Shape {
  const outlines: Point[][] = []
  let outline: Point[] = []
  let at: Point = [0, 0]
  let handle: Point = [0, 0]
  for (const [, command = '', rest = ''] of notation.matchAll(/([MLQCSZ])([^MLQCSZ]*)/g)) {
    const numbers = (rest.match(/-?\d*\.?\d+(?:e-?\d+)?/g) ?? []).map(Number)
    const points: Point[] = []
    for (let i = 0; i + 1 < numbers.length; i += 2) points.push([numbers[i] ?? 0, numbers[i + 1] ?? 0])
    if (command === 'M') {
      outline = []
      outlines.push(outline)
    }
    const size = { Q: 2, S: 2, C: 3 }[command] ?? 1
    for (let i = 0; i + size <= points.length; i += size) {
      const [p = at, q = at, r = at] = points.slice(i, i + size)
      if (command === 'M' || command === 'L') {
        outline.push(p)
        at = p
        handle = p
        continue
      }
      const mirrored: Point = [2 * at[0] - handle[0], 2 * at[1] - handle[1]]
      const [first, second, end] =
        command === 'Q'
          ? [between(at, p, 2 / 3), between(q, p, 2 / 3), q]
          : command === 'S'
            ? [mirrored, p, q]
            : [p, q, r]
      for (let step = 1; step <= curveSteps; step++) outline.push(cubic(at, first, second, end, step / curveSteps))
      at = end
      handle = second
    }
  }
  return outlines
}

/** A smooth closed outline through the given points. */
export function blob(...points: Point[]): Shape {
  const count = points.length
  const point = (i: number): Point => points[(i + count) % count] ?? [0, 0]
  const outline: Point[] = []
  for (let i = 0; i < count; i++) {
    const [before, from, to, after] = [point(i - 1), point(i), point(i + 1), point(i + 2)]
    const first: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6]
    const second: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6]
    for (let step = 1; step <= 12; step++) outline.push(cubic(from, first, second, to, step / 12))
  }
  return [outline]
}

/** The outline of a pen with a round tip drawn along the shape; the width may run from one value to another. */
export function stroke(line: Shape, width: number, endWidth = width): Shape {
  const pieces: Point[][] = []
  for (const points of line) {
    const last = Math.max(1, points.length - 1)
    points.forEach(([x, y], i) => {
      const radius = (width + ((endWidth - width) * i) / last) / 2
      const next = points[i + 1]
      pieces.push([...(ellipse(x, y, radius)[0] ?? [])])
      if (!next) return
      const nextRadius = (width + ((endWidth - width) * (i + 1)) / last) / 2
      const length = Math.hypot(next[0] - x, next[1] - y) || 1
      const [nx, ny] = [-(next[1] - y) / length, (next[0] - x) / length]
      pieces.push([
        [x - nx * radius, y - ny * radius],
        [next[0] - nx * nextRadius, next[1] - ny * nextRadius],
        [next[0] + nx * nextRadius, next[1] + ny * nextRadius],
        [x + nx * radius, y + ny * radius],
      ])
    })
  }
  return pieces
}

/** All shapes as one; every outline runs the same way round, or they would cut holes into each other. */
export const join = (...shapes: Shape[]): Shape =>
  shapes.flat().map((outline) => (area(outline) < 0 ? outline.toReversed() : outline))

const area = (outline: readonly Point[]): number =>
  outline.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = outline[(i + 1) % outline.length] ?? [x, y]
    return sum + x * nextY - nextX * y
  }, 0)

const between = (a: Point, b: Point, t: number): Point => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]

function cubic(a: Point, b: Point, c: Point, d: Point, t: number): Point {
  const u = 1 - t
  const [wa, wb, wc, wd] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t]
  return [wa * a[0] + wb * b[0] + wc * c[0] + wd * d[0], wa * a[1] + wb * b[1] + wc * c[1] + wd * d[1]]
}

/** A closed outline from its right half, drawn from the top to the bottom of the axis x = 0. */
export function symmetric(rightHalf: string): Shape {
  return path(rightHalf).map((half) => [...half, ...half.map(([x, y]): Point => [-x, y]).reverse()])
}

export const mirror = (shape: Shape): Shape => shape.map((outline) => outline.map(([x, y]): Point => [-x, y]))

export const shift = (shape: Shape, dx: number, dy: number): Shape =>
  shape.map((outline) => outline.map(([x, y]): Point => [x + dx, y + dy]))
