import type { Canvas } from '../raster.ts'
import { join, path, roundRect } from '../shapes.ts'

type Dressed = { skin: string; shade: string; sleeve: string; cuff: string }

export const warm: Dressed = { skin: '#f4c3a0', shade: '#e0a27c', sleeve: '#4d7fb8', cuff: '#ffffff' }
export const deep: Dressed = { skin: '#9a6242', shade: '#7f4d32', sleeve: '#e3a13c', cuff: '#fff1d6' }

/** A hand that reaches in from the upper right and lies on something with its fingers to the left; its palm is the origin. */
export function pattingHand(canvas: Canvas, { skin, shade, sleeve, cuff }: Dressed): void {
  canvas.fill(path('M74 -52 C40 -58 -8 -48 -34 -30 C-46 -22 -36 -2 -20 2 C8 10 52 14 92 -14 Z'), skin)
  for (const [x, y, length, turn] of [
    [-18, -26, 46, 158],
    [-20, -15, 52, 166],
    [-16, -4, 50, 174],
    [-6, 6, 42, 182],
  ] as const) {
    canvas.at(x, y, { degrees: turn }, () => {
      canvas.fill(roundRect(-14, -8.5, length + 16, 17, 8.5), shade)
      canvas.fill(roundRect(-14, -7.5, length + 13, 15, 7.5), skin)
    })
  }
  canvas.fill(path('M40 -4 C32 10 20 22 8 26 Q-2 28 -2 20 C2 10 14 0 24 -10 Z'), skin)
  canvas.line('M24 -4 C14 6 4 12 -1 20', 2, shade)
  canvas.at(44, -14, { degrees: -34 }, () => {
    canvas.fill(path('M40 -28 L330 -46 L330 50 L40 30 Z'), sleeve)
    canvas.fill(path('M40 10 L330 14 L330 50 L40 30 Z'), '#00000018')
    canvas.fill(roundRect(24, -33, 26, 68, 9), cuff)
  })
}

/** A white glove with spread fingers that slaps to the left; its palm is the origin. */
export function slappingGlove(canvas: Canvas, sleeve: string): void {
  const fingers = join(
    ...(
      [
        [-28, -44, -16],
        [-9, -54, -4],
        [12, -50, 8],
        [31, -36, 22],
      ] as const
    ).map(([x, y, lean]) =>
      path(
        `M${x - 10} 0 L${x - 10 + lean * 0.4} ${y} Q${x + lean * 0.6} ${y - 16} ${x + 10 + lean * 0.4} ${y} L${x + 10} 0 Z`,
      ),
    ),
  )
  const palm = path('M-38 -8 C-40 30 -26 46 2 46 C30 46 42 30 42 -6 Z')
  const thumb = path('M30 30 C50 22 54 4 64 -4 Q76 -8 76 6 C72 30 56 44 30 46 Z')
  canvas.fill(path('M-24 44 L28 44 L44 260 L-20 260 Z'), sleeve)
  canvas.at(0, 0, { scale: 1.07 }, () => canvas.fill(join(fingers, palm, thumb), '#b9c3d6'))
  canvas.fill(join(fingers, palm, thumb), '#ffffff')
  for (const x of [-18, 2, 22]) canvas.line(`M${x} -10 L${x} 8`, 2.6, '#b9c3d6')
  canvas.fill(roundRect(-34, 36, 70, 24, 11), '#ffffff')
  canvas.line('M-28 37 L30 37', 2.6, '#b9c3d6')
}
