type Entry = { colour: readonly number[]; count: number }
type Box = { entries: Entry[]; spread: number; axis: number; middle: number }

export type Indexed = { palette: readonly (readonly number[])[]; indices: Uint8Array }

/** Reduces a picture to so many colours: the box of colours that spreads most is cut in two until there are enough. */
export function reduceColours(pixels: Float32Array, limit: number): Indexed {
  const entries = countColours(pixels)
  const boxes = [measure([...entries.values()])]
  while (boxes.length < limit) {
    const widest = boxes.reduce((a, b) => (b.spread > a.spread ? b : a))
    if (widest.spread < 1) break
    const { axis, middle } = widest
    const isLow = ({ colour }: Entry) => (colour[axis] ?? 0) <= middle
    boxes.splice(boxes.indexOf(widest), 1)
    boxes.push(measure(widest.entries.filter(isLow)), measure(widest.entries.filter((entry) => !isLow(entry))))
  }
  let palette = boxes.map(({ entries }) => mean(entries))
  for (let round = 0; round < 4; round++) palette = settle([...entries.values()], palette)
  palette = palette.map((colour) => colour.map(Math.round)).sort((a, b) => brightness(a) - brightness(b))

  const nearestOf = new Map([...entries].map(([key, { colour }]) => [key, nearest(palette, colour)]))
  const indices = new Uint8Array(pixels.length / 3)
  for (let i = 0; i < indices.length; i++) indices[i] = nearestOf.get(keyAt(pixels, i)) ?? 0
  return { palette, indices }
}

const keyAt = (pixels: Float32Array, i: number): number =>
  channel(pixels[i * 3]) * 65536 + channel(pixels[i * 3 + 1]) * 256 + channel(pixels[i * 3 + 2])

const channel = (value = 0): number => Math.max(0, Math.min(255, Math.round(value)))

const brightness = ([red = 0, green = 0, blue = 0]: readonly number[]): number => red * 3 + green * 6 + blue

function countColours(pixels: Float32Array): Map<number, Entry> {
  const entries = new Map<number, Entry>()
  for (let i = 0; i < pixels.length / 3; i++) {
    const key = keyAt(pixels, i)
    const entry = entries.get(key)
    if (entry) entry.count++
    else entries.set(key, { colour: [key >> 16, (key >> 8) & 255, key & 255], count: 1 })
  }
  // The root keeps large plain areas from taking every colour: a nose is small, and matters.
  for (const entry of entries.values()) entry.count **= 0.6
  return entries
}

function mean(entries: readonly Entry[]): number[] {
  const total = entries.reduce((sum, { count }) => sum + count, 0) || 1
  return [0, 1, 2].map(
    (axis) => entries.reduce((sum, { colour, count }) => sum + (colour[axis] ?? 0) * count, 0) / total,
  )
}

function measure(entries: Entry[]): Box {
  const centre = mean(entries)
  const spreads = centre.map((middle, axis) =>
    entries.reduce((sum, { colour, count }) => sum + ((colour[axis] ?? 0) - middle) ** 2 * count, 0),
  )
  const spread = Math.max(...spreads)
  const axis = spreads.indexOf(spread)
  return { entries, spread, axis, middle: centre[axis] ?? 0 }
}

function settle(entries: readonly Entry[], palette: readonly number[][]): number[][] {
  const groups = palette.map((): Entry[] => [])
  for (const entry of entries) groups[nearest(palette, entry.colour)]?.push(entry)
  return groups.map((group, i) => (group.length > 0 ? mean(group) : (palette[i] ?? [])))
}

function nearest(palette: readonly (readonly number[])[], [red = 0, green = 0, blue = 0]: readonly number[]): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < palette.length; i++) {
    const [r = 0, g = 0, b = 0] = palette[i] ?? []
    const distance = (r - red) ** 2 * 3 + (g - green) ** 2 * 4 + (b - blue) ** 2 * 2
    if (distance >= least) continue
    best = i
    least = distance
  }
  return best
}
