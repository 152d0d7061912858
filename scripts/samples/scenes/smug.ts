import { catHead, gingerCat } from '../characters/cat.ts'
import { crown } from '../characters/crown.ts'
import { foxHead, redFox } from '../characters/fox.ts'
import { frog } from '../characters/frog.ts'
import { plushBody } from '../characters/plush.ts'
import { sesame, shibeHead } from '../characters/shibe.ts'
import type { Canvas } from '../raster.ts'
import { shadow, sky, sunburst } from '../scenery.ts'
import { ellipse, join, path, polygon, rect, roundRect, star } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const smug: Scenes = {
  'smug-cat': (canvas) => {
    backdrop(canvas, '#7a5ca8', '#8667b3', '#9b7cc6')
    shoulders(canvas, gingerCat.fur, gingerCat.pale)
    canvas.at(240, 186, { scale: 1.75, degrees: -5 }, () => catHead(canvas, 'smug', gingerCat))
    canvas.fill(
      join(path('M240 318 L196 294 Q186 318 196 344 Z'), path('M240 318 L284 294 Q294 318 284 344 Z')),
      '#d9434e',
    )
    canvas.fill(ellipse(240, 318, 13), '#b5323f')
    sparkles(
      canvas,
      [
        [84, 84, 17],
        [400, 100, 21],
        [424, 260, 13],
        [60, 250, 12],
      ],
      '#ffe29a',
    )
  },

  'smug-fox': (canvas) => {
    backdrop(canvas, '#2f8f8a', '#38998f', '#58b3a6')
    shoulders(canvas, redFox.fur, redFox.pale)
    canvas.at(240, 206, { scale: 1.7, degrees: 5 }, () => {
      foxHead(canvas, 'smug')
      canvas.at(0, -38, {}, () => crown(canvas))
    })
    sparkles(
      canvas,
      [
        [74, 96, 18],
        [412, 84, 15],
        [424, 240, 20],
        [66, 262, 12],
      ],
      '#fff0b8',
    )
  },

  'smug-shibe': (canvas) => {
    backdrop(canvas, '#e5724f', '#ea7f57', '#f59a6c')
    shoulders(canvas, sesame.fur, sesame.pale)
    canvas.fill(path('M164 302 Q240 334 316 302 L324 320 Q240 352 156 320 Z'), '#f0c040')
    canvas.fill(ellipse(240, 342, 18), '#ffd966')
    canvas.fill(star(240, 342, 11, 4.8, 5), '#e0a020')
    canvas.at(240, 190, { scale: 1.72, degrees: -4 }, () => {
      shibeHead(canvas, 'smug')
      sunglasses(canvas)
    })
    sparkles(
      canvas,
      [
        [70, 100, 16],
        [414, 96, 20],
        [430, 262, 13],
        [54, 250, 14],
      ],
      '#fff2c4',
    )
  },

  'smug-frog': (canvas) => {
    sky(canvas, '#f5d6e0', '#f5d6e0')
    sunburst(canvas, 240, 190, 14, '#f8e0e8')
    canvas.fill(ellipse(240, 176, 138), '#fdf0ee')
    canvas.fill(rect(0, 302, 480, 58), '#a5655a')
    canvas.fill(rect(0, 302, 480, 10), '#bb7868')
    shadow(canvas, 226, 316, 150, '#6b342f66')
    canvas.at(222, 314, { scale: 1.5 }, () => frog(canvas, 'smug'))
    cup(canvas)
    sparkles(
      canvas,
      [
        [72, 88, 16],
        [408, 92, 18],
        [60, 232, 12],
      ],
      '#f0a8b8',
    )
  },
}

function backdrop(canvas: Canvas, plain: string, ray: string, disc: string): void {
  sky(canvas, plain, plain)
  sunburst(canvas, 240, 200, 14, ray)
  canvas.fill(ellipse(240, 196, 150), disc)
}

function shoulders(canvas: Canvas, fur: string, pale: string): void {
  canvas.at(240, 452, { scale: 1.75 }, () => plushBody(canvas, { fur, shade: fur, pale, dark: fur }))
}

function sparkles(canvas: Canvas, places: readonly (readonly [number, number, number])[], colour: string): void {
  for (const [x, y, size] of places) canvas.fill(star(x, y, size, size * 0.24, 4), colour)
}

function sunglasses(canvas: Canvas): void {
  const lens = (x: number) =>
    path(`M${x - 20} -14 L${x + 20} -14 Q${x + 20} 14 ${x + 2} 14 Q${x - 18} 14 ${x - 20} -14 Z`)
  canvas.fill(rect(-56, -14, 112, 6), '#2a2433')
  for (const x of [-26, 26]) {
    canvas.marked(lens(x), '#2a2433', () => {
      canvas.fill(polygon([x - 14, -16], [x - 4, -16], [x - 14, 16], [x - 24, 16]), '#5a5270')
      canvas.fill(polygon([x, -16], [x + 4, -16], [x - 6, 16], [x - 10, 16]), '#5a5270')
    })
  }
}

function cup(canvas: Canvas): void {
  canvas.fill(ellipse(368, 322, 62, 10), '#e8eef5')
  canvas.line('M402 276 Q432 272 428 290 Q422 304 396 302', 8, '#ffffff')
  canvas.fill(path('M330 258 L408 258 C408 296 396 318 369 318 C342 318 330 296 330 258 Z'), '#ffffff')
  canvas.fill(ellipse(369, 258, 39, 9), '#e8eef5')
  canvas.fill(ellipse(369, 259, 33, 6.5), '#b9783c')
  canvas.fill(roundRect(330, 284, 76, 7, 3), '#7cc05c')
  for (const x of [356, 380])
    canvas.line(`M${x} 244 Q${x - 10} 230 ${x} 218 Q${x + 10} 206 ${x} 194`, 4, '#ffffffb0', 2)
}
