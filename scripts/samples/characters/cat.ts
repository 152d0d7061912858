import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, symmetric } from '../shapes.ts'
import { blush, eyes, type Mood, mouth } from './face.ts'
import type { Coat } from './fox.ts'

export const greyCat: Coat = { fur: '#8d93a8', shade: '#6c7289', pale: '#f3f1f4', dark: '#4a4e63' }
export const gingerCat: Coat = { fur: '#f2a65a', shade: '#d98438', pale: '#fff2df', dark: '#a85f28' }

/** A cat's head seen from the front; its middle is the origin, and it is 125 wide. */
export function catHead(canvas: Canvas, mood: Mood = 'calm', coat = greyCat): void {
  const ear = path('M12 -36 C24 -54 38 -70 48 -75 Q54 -76 55 -69 C59 -48 60 -28 54 -6 Z')
  const inner = path('M26 -38 C33 -49 40 -57 47 -62 C50 -48 51 -34 48 -20 Z')
  canvas.fill(join(ear, mirror(ear)), coat.fur)
  canvas.fill(join(inner, mirror(inner)), '#f5b5b0')
  const head = symmetric('M0 -44 C30 -45 50 -34 57 -10 C66 14 58 36 36 45 C22 50 10 51 0 51')
  canvas.marked(head, coat.fur, () => {
    for (const [x, low] of [
      [-15, -24],
      [0, -18],
      [15, -24],
    ] as const)
      canvas.line(`M${x} -50 L${x * 0.8} ${low}`, 6.5, coat.shade, 3)
    for (const side of [-1, 1]) {
      canvas.line(`M${side * 70} 4 L${side * 46} 9`, 6, coat.shade, 3)
      canvas.line(`M${side * 70} 20 L${side * 48} 21`, 6, coat.shade, 3)
    }
    canvas.fill(join(ellipse(-13, 30, 19, 16), ellipse(13, 30, 19, 16), ellipse(0, 38, 12, 9)), coat.pale)
  })
  for (const side of [-1, 1]) {
    canvas.line(`M${side * 34} 26 L${side * 76} 18`, 1.8, '#ffffffb0')
    canvas.line(`M${side * 34} 32 L${side * 76} 36`, 1.8, '#ffffffb0')
  }
  blush(canvas, 40, 18, '#ff8a8a60', 7)
  eyes(canvas, { mood, apart: 25, y: -2, size: 8, lid: coat.fur })
  canvas.fill(symmetric('M0 16 C5 16 7.5 17 7.5 19.5 C7 23 3 25.5 0 26'), '#e5707c')
  mouth(canvas, mood, 30, 11)
}
