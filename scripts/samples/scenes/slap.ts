import { catHead, gingerCat } from '../characters/cat.ts'
import { fish, tang } from '../characters/fish.ts'
import { foxHead, foxTail, redFox } from '../characters/fox.ts'
import { slappingGlove } from '../characters/hand.ts'
import { flipper, penguin } from '../characters/penguin.ts'
import { arm, bearHead, brownBear, bunnyHead, greyBunny, plushBody } from '../characters/plush.ts'
import { sesame, shibeHead } from '../characters/shibe.ts'
import { lettering } from '../lettering.ts'
import type { Canvas } from '../raster.ts'
import { shadow, sky, sunburst } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import { ellipse, path, rect, star } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const slap: Scenes = {
  'slap-with-a-glove': (canvas) => {
    sky(canvas, '#f7c948', '#f7c948')
    sunburst(canvas, 250, 180, 12, '#f9d465')
    canvas.at(150, 420, { scale: 1.5 }, () => plushBody(canvas, gingerCat))
    whack(canvas, 304, 192, 132)
    canvas.at(168, 206, { scale: 1.5, degrees: -16 }, () => catHead(canvas, 'dazed', gingerCat))
    canvas.at(336, 214, { scale: 1.3, degrees: -34 }, () => slappingGlove(canvas, '#3f6fb8'))
    lettering(canvas, 'SLAP!', 332, 62, 3.1, '#ffffff', '#d2343f')
  },

  'slap-with-a-fish': (canvas) => {
    sky(canvas, '#9fd6ea', '#d3eef5')
    sunburst(canvas, 270, 150, 12, '#ffffff30')
    canvas.fill(rect(0, 292, 480, 68), '#f4fafd')
    canvas.fill(ellipse(240, 296, 330, 16), '#f4fafd')
    shadow(canvas, 130, 330, 92, '#5f90b055')
    shadow(canvas, 352, 332, 88, '#5f90b055')
    canvas.at(366, 330, { scale: 1.24, degrees: 8 }, () => {
      plushBody(canvas, brownBear)
      arm(canvas, 'M-40 -90 C-58 -84 -66 -70 -70 -56', brownBear)
      arm(canvas, 'M42 -88 C58 -80 66 -66 66 -50', brownBear)
      canvas.at(6, -138, { degrees: 12 }, () => bearHead(canvas, 'dazed'))
    })
    canvas.at(120, 328, { scale: 1.2, degrees: -3 }, () => penguin(canvas, 'smug'))
    whack(canvas, 312, 104, 58)
    canvas.at(252, 126, { scale: 0.82, degrees: -30 }, () => fish(canvas, tang))
    canvas.at(166, 226, { scale: 1 }, () => canvas.at(0, 0, { degrees: -58 }, () => flipper(canvas, 0, '#2a3550')))
    lettering(canvas, 'WHAM!', 190, 46, 2.7, '#ffe17a', '#2f5f96')
  },

  'high-five': (canvas) => {
    sky(canvas, '#ef6f6c', '#ef6f6c')
    sunburst(canvas, 240, 140, 12, '#f3827b')
    canvas.fill(ellipse(240, 372, 330, 60), '#c94a55')
    whack(canvas, 240, 128, 84)
    canvas.at(112, 336, { scale: 1.14 }, () => {
      canvas.at(0, 0, { flip: true }, () => foxTail(canvas))
      plushBody(canvas, redFox)
      arm(canvas, 'M-42 -86 C-56 -70 -54 -54 -42 -44', redFox)
      arm(canvas, 'M42 -90 C64 -104 84 -134 100 -174', redFox)
      canvas.at(-6, -140, { degrees: -6 }, () => foxHead(canvas, 'happy'))
    })
    canvas.at(368, 336, { scale: 1.14 }, () => {
      plushBody(canvas, sesame)
      arm(canvas, 'M42 -86 C56 -70 54 -54 42 -44', sesame)
      arm(canvas, 'M-42 -90 C-64 -104 -84 -134 -100 -174', sesame)
      canvas.at(6, -138, { degrees: 6 }, () => shibeHead(canvas, 'happy'))
    })
    lettering(canvas, 'HIGH FIVE!', 240, 34, 2.2, '#ffffff', '#8a2c44')
  },

  'slap-with-a-pillow': (canvas) => {
    sky(canvas, '#6a63b0', '#8a7cc4')
    sunburst(canvas, 270, 170, 12, '#ffffff12')
    canvas.fill(path('M-10 300 Q240 280 490 300 L490 380 L-10 380 Z'), '#4d4790')
    canvas.fill(path('M-10 318 Q240 300 490 318 L490 380 L-10 380 Z'), '#5d56a2')
    feathers(canvas)
    shadow(canvas, 114, 334, 80, '#2b265a77')
    shadow(canvas, 366, 334, 80, '#2b265a77')
    canvas.at(370, 332, { scale: 1.16, degrees: 6 }, () => {
      plushBody(canvas, redFox)
      arm(canvas, 'M42 -88 C60 -84 70 -98 74 -112', redFox)
      arm(canvas, 'M-42 -86 C-56 -70 -54 -54 -48 -40', redFox)
      canvas.at(4, -138, { degrees: 14 }, () => foxHead(canvas, 'dazed'))
    })
    canvas.at(114, 332, { scale: 1.22 }, () => {
      plushBody(canvas, greyBunny)
      arm(canvas, 'M-40 -86 C-54 -72 -56 -56 -50 -42', greyBunny, 22)
      canvas.at(0, -132, { degrees: 4 }, () => bunnyHead(canvas, 'happy'))
    })
    whack(canvas, 276, 150, 88)
    pillow(canvas)
    canvas.at(114, 332, { scale: 1.22 }, () => arm(canvas, 'M40 -88 C58 -92 72 -104 84 -118', greyBunny, 22))
  },
}

function whack(canvas: Canvas, x: number, y: number, size: number): void {
  canvas.fill(star(x, y, size, size * 0.62, 12, -82), '#d2343f')
  canvas.fill(star(x, y, size * 0.84, size * 0.53, 12, -82), '#ff9d3c')
  canvas.fill(star(x, y, size * 0.62, size * 0.4, 12, -82), '#fff3c9')
}

function pillow(canvas: Canvas): void {
  canvas.at(236, 150, { degrees: -16 }, () => {
    canvas.marked(
      path('M-62 -46 C-40 -52 40 -52 62 -46 C58 -24 58 24 62 46 C40 52 -40 52 -62 46 C-58 24 -58 -24 -62 -46 Z'),
      '#ffffff',
      () => {
        for (const x of [-44, -16, 12, 40]) canvas.fill(rect(x, -60, 10, 120), '#a9d3ec')
      },
    )
  })
}

function feathers(canvas: Canvas): void {
  const random = seeded('feathers')
  const places = [
    [176, 40],
    [206, 74],
    [232, 32],
    [262, 64],
    [292, 28],
    [318, 56],
    [352, 26],
    [384, 52],
    [452, 40],
    [196, 226],
    [228, 254],
    [262, 240],
    [290, 268],
    [182, 272],
    [36, 60],
    [24, 150],
  ] as const
  for (const [x, y] of places) {
    canvas.at(x, y, { degrees: random() * 360, scale: 0.9 + random() * 0.5 }, () => {
      canvas.fill(path('M-12 0 C-6 -7 8 -7 14 0 C8 6 -6 6 -12 0 Z'), '#ffffff')
      canvas.line('M-17 1 L8 0', 1.4, '#b9b4dc')
    })
  }
}
