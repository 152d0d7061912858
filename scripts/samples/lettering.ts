import type { Canvas } from './raster.ts'
import { path, stroke } from './shapes.ts'

/* Each letter stands in a box 10 wide and 14 high. */
const letters: Readonly<Record<string, string>> = {
  A: 'M0 14 L5 0 L10 14 M2 9 L8 9',
  E: 'M9 0 L0 0 L0 14 L9 14 M0 7 L7.5 7',
  F: 'M10 0 L0 0 L0 14 M0 7 L8 7',
  G: 'M9.5 2.5 C6 -2 -0.5 0 -0.5 7 C-0.5 14 6 16 9.5 12 L9.5 8 L6 8',
  H: 'M0 0 L0 14 M10 0 L10 14 M0 7 L10 7',
  I: 'M5 0 L5 14',
  L: 'M0 0 L0 14 L9 14',
  M: 'M0 14 L0 0 L5 8 L10 0 L10 14',
  P: 'M0 14 L0 0 C13 0 13 8 0 8',
  S: 'M9.5 2 C6 -2 0 0 0.5 4 C1 8 9.5 6 9.5 10.5 C9 15 2 14.5 0 11.5',
  V: 'M0 0 L5 14 L10 0',
  W: 'M0 0 L2.5 14 L5 4 L7.5 14 L10 0',
  '!': 'M5 0 L5 9 M5 14 L5 14',
}

/** A word in fat round letters with an edge, its middle at x, y. */
export function lettering(
  canvas: Canvas,
  word: string,
  x: number,
  y: number,
  scale: number,
  fill: string,
  edge: string,
): void {
  const advance = 14.5
  for (const [width, paint] of [
    [7.9, edge],
    [3.6, fill],
  ] as const) {
    ;[...word].forEach((letter, i) => {
      const bounce = i % 2 === 0 ? -0.8 : 0.8
      canvas.at(
        x + (i - (word.length - 1) / 2) * advance * scale,
        y + bounce * scale,
        { scale, degrees: bounce * 4 },
        () => {
          canvas.at(-5, -7, {}, () => canvas.fill(stroke(path(letters[letter] ?? ''), width), paint))
        },
      )
    })
  }
}
