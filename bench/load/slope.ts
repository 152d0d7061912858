export type Point = readonly [x: number, y: number]

/** How much y grows for each x, by least squares; NaN if no line is determined. */
export function slopeOf(points: readonly Point[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  let [both, square] = [0, 0]
  for (const [x, y] of points) {
    both += (x - meanX) * (y - meanY)
    square += (x - meanX) ** 2
  }
  return square === 0 ? Number.NaN : both / square
}
