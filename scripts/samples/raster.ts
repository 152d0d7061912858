import { type Point, path, type Shape, stroke } from './shapes.ts'

/** A colour `#rrggbb` or `#rrggbbaa`, or a gradient whose colours lie at equal distances. */
export type Paint = string | Linear | Radial
export type Linear = { from: Point; to: Point; colours: readonly string[] }
export type Radial = { centre: Point; radius: number; colours: readonly string[] }

type Matrix = readonly [number, number, number, number, number, number]
type Colour = readonly [red: number, green: number, blue: number, alpha: number]
type Turn = { scale?: number; flip?: boolean; degrees?: number; squash?: number }
type Span = { rows: Float32Array; top: number; bottom: number; left: number; right: number }

const subRows = 8
/** Few steps along an edge: the eye does not miss the others, and the file is a tenth smaller. */
const edgeSteps = 5

export class Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Float32Array
  #matrix: Matrix = [1, 0, 0, 1, 0, 0]
  #mask: Float32Array | undefined

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.pixels = new Float32Array(width * height * 3)
  }

  fill(shape: Shape, paint: Paint): void {
    const { rows, top, bottom, left, right } = this.#coverage(shape)
    const colourAt = this.#painter(paint)
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const i = y * this.width + x
        const covered = Math.min(1, rows[i] ?? 0) * (this.#mask?.[i] ?? 1)
        const step = Math.round(covered * edgeSteps) / edgeSteps
        if (step === 0) continue
        const colour = colourAt(x + 0.5, y + 0.5)
        const weight = step * colour[3]
        for (let channel = 0; channel < 3; channel++) {
          const old = this.pixels[i * 3 + channel] ?? 0
          this.pixels[i * 3 + channel] = old + ((colour[channel] ?? 0) - old) * weight
        }
      }
    }
  }

  /** A line with round ends, in path notation. */
  line(notation: string, width: number, paint: Paint, endWidth = width): void {
    this.fill(stroke(path(notation), width, endWidth), paint)
  }

  /** What `draw` paints shows only inside the shape. */
  within(shape: Shape, draw: () => void): void {
    const outer = this.#mask
    const { rows } = this.#coverage(shape)
    this.#mask = rows.map((covered, i) => Math.min(1, covered) * (outer?.[i] ?? 1))
    draw()
    this.#mask = outer
  }

  /** Paints a shape and then, only inside of it, its markings. */
  marked(shape: Shape, paint: Paint, markings: () => void): void {
    this.fill(shape, paint)
    this.within(shape, markings)
  }

  /** `draw` works with its origin at x, y. */
  at(x: number, y: number, turn: Turn, draw: () => void): void {
    const outer = this.#matrix
    const { scale = 1, flip = false, degrees = 0, squash = 1 } = turn
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
    const [sx, sy] = [flip ? -scale : scale, scale * squash]
    this.#matrix = multiply(outer, [cos * sx, sin * sx, -sin * sy, cos * sy, x, y])
    draw()
    this.#matrix = outer
  }

  #coverage(shape: Shape): Span {
    const outlines = shape.map((outline) => outline.map((point) => apply(this.#matrix, point)))
    const rows = new Float32Array(this.width * this.height)
    const crossings: [x: number, direction: number][][] = []
    for (const outline of outlines) {
      outline.forEach((from, i) => {
        const to = outline[(i + 1) % outline.length] ?? from
        const direction = from[1] < to[1] ? 1 : -1
        const [high, low] = direction === 1 ? [from, to] : [to, from]
        const first = Math.max(0, Math.ceil(high[1] * subRows - 0.5))
        const last = Math.min(this.height * subRows, Math.ceil(low[1] * subRows - 0.5))
        for (let row = first; row < last; row++) {
          const t = ((row + 0.5) / subRows - high[1]) / (low[1] - high[1])
          crossings[row] ??= []
          crossings[row]?.push([high[0] + (low[0] - high[0]) * t, direction])
        }
      })
    }
    const span = { rows, top: this.height, bottom: 0, left: this.width, right: 0 }
    crossings.forEach((row, number) => {
      row.sort((a, b) => a[0] - b[0])
      const y = Math.floor(number / subRows)
      let winding = 0
      let start = 0
      for (const [x, direction] of row) {
        if (winding === 0) start = x
        winding += direction
        if (winding === 0) this.#cover(span, y, Math.max(0, start), Math.min(this.width, x))
      }
    })
    return span
  }

  #cover(span: Span, y: number, start: number, end: number): void {
    if (end <= start) return
    const [first, last] = [Math.floor(start), Math.min(this.width - 1, Math.floor(end))]
    span.top = Math.min(span.top, y)
    span.bottom = Math.max(span.bottom, y + 1)
    span.left = Math.min(span.left, first)
    span.right = Math.max(span.right, last + 1)
    for (let x = first; x <= last; x++) {
      const i = y * this.width + x
      span.rows[i] = (span.rows[i] ?? 0) + Math.max(0, Math.min(end, x + 1) - Math.max(start, x)) / subRows
    }
  }

  #painter(paint: Paint): (x: number, y: number) => Colour {
    if (typeof paint === 'string') {
      const colour = parseColour(paint)
      return () => colour
    }
    const colours = paint.colours.map(parseColour)
    if ('radius' in paint) {
      const [cx, cy] = apply(this.#matrix, paint.centre)
      const [a, b, c, d] = this.#matrix
      const radius = paint.radius * Math.sqrt(Math.abs(a * d - b * c))
      return (x, y) => blend(colours, Math.hypot(x - cx, y - cy) / radius)
    }
    const from = apply(this.#matrix, paint.from)
    const to = apply(this.#matrix, paint.to)
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
    const length = dx * dx + dy * dy || 1
    return (x, y) => blend(colours, ((x - from[0]) * dx + (y - from[1]) * dy) / length)
  }
}

function parseColour(text: string): Colour {
  const part = (i: number) => Number.parseInt(text.slice(i, i + 2) || 'ff', 16)
  return [part(1), part(3), part(5), part(7) / 255]
}

function blend(colours: readonly Colour[], t: number): Colour {
  const place = Math.max(0, Math.min(1, t)) * (colours.length - 1)
  const index = Math.min(colours.length - 2, Math.floor(place))
  const share = place - index
  const from = colours[index] ?? [0, 0, 0, 1]
  const to = colours[index + 1] ?? from
  const mixed = (channel: 0 | 1 | 2 | 3) => from[channel] + (to[channel] - from[channel]) * share
  return [mixed(0), mixed(1), mixed(2), mixed(3)]
}

const apply = ([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point => [a * x + c * y + e, b * x + d * y + f]

function multiply(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ]
}
