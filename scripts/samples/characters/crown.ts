import type { Canvas } from '../raster.ts'
import { ellipse, join, path, polygon } from '../shapes.ts'

/** A crown that stands on the origin, 60 wide. */
export function crown(canvas: Canvas): void {
  const gold = path('M-26 2 L-30 -30 L-14 -16 L0 -36 L14 -16 L30 -30 L26 2 Q0 8 -26 2 Z')
  canvas.marked(gold, '#f9c846', () => canvas.fill(polygon([-40, -5], [40, -5], [40, 10], [-40, 10]), '#e3a52c'))
  canvas.fill(join(ellipse(-30, -31, 4), ellipse(0, -37, 4.5), ellipse(30, -31, 4)), '#ffe08a')
  canvas.fill(ellipse(0, -7, 4.5), '#e8486b')
}
