import { bluebird, rosefinch, roundBird } from '../characters/birds.ts'
import { crown } from '../characters/crown.ts'
import { blackAndTan, longDog } from '../characters/dachshund.ts'
import { fish, koi, tang } from '../characters/fish.ts'
import { frog } from '../characters/frog.ts'
import type { Canvas } from '../raster.ts'
import { cloud, flower, glow, hearts, hill, leaf, shadow, sky, stars } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import { ellipse, join, path, polygon } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const kiss: Scenes = {
  'birds-kiss': (canvas) => {
    sky(canvas, '#fbd3cf', '#fde6d8', '#fff5e4')
    glow(canvas, 240, 176, 74, '#fff6ee', '#fff6ee55')
    cloud(canvas, 66, 80, 0.8, '#ffffff')
    cloud(canvas, 420, 60, 0.9, '#ffffff')
    canvas.line('M-10 282 C120 264 330 264 490 284', 16, '#80604f', 12)
    canvas.line('M70 276 C60 240 40 226 20 220', 7, '#80604f', 3)
    canvas.line('M420 276 C430 246 446 236 468 230', 7, '#80604f', 3)
    for (const [x, y, turn] of [
      [20, 216, 200],
      [56, 238, 120],
      [468, 226, -20],
      [432, 246, 50],
      [200, 286, 60],
      [330, 288, 120],
      [110, 290, 80],
    ] as const) {
      leaf(canvas, x, y, 14, turn, '#86bd7e')
    }
    for (const [x, y] of [
      [34, 228],
      [76, 260],
      [452, 236],
      [412, 262],
    ] as const)
      flower(canvas, x, y, 11, '#f598ac')
    canvas.at(143, 180, { scale: 1.3 }, () => roundBird(canvas, bluebird, 'happy'))
    canvas.at(338, 180, { scale: 1.3, flip: true }, () => roundBird(canvas, rosefinch, 'asleep'))
    hearts(canvas, [
      [240, 82, 19],
      [212, 50, 10],
      [270, 46, 12],
    ])
  },

  'fish-kiss': (canvas) => {
    sky(canvas, '#5fc3d8', '#3a93c4', '#27609c')
    for (const x of [60, 190, 330])
      canvas.fill(polygon([x, 0], [x + 50, 0], [x - 40, 360], [x - 150, 360]), '#ffffff14')
    hill(canvas, [318, 304, 316, 300, 314], '#e8cf9a', '#cfae78')
    for (const [x, tall, colour] of [
      [38, 130, '#3f9f86'],
      [62, 170, '#2f8a78'],
      [88, 110, '#4fb594'],
      [412, 150, '#2f8a78'],
      [440, 190, '#3f9f86'],
      [464, 120, '#4fb594'],
    ] as const) {
      canvas.line(
        `M${x} 330 C${x - 24} ${330 - tall * 0.35} ${x + 24} ${330 - tall * 0.65} ${x} ${330 - tall}`,
        15,
        colour,
        4,
      )
    }
    canvas.fill(join(ellipse(126, 322, 30, 20), ellipse(160, 328, 20, 13)), '#8a7f9a')
    coral(canvas, 348, 326)
    canvas.at(155, 180, { scale: 1.16 }, () => fish(canvas, koi))
    canvas.at(322, 180, { scale: 1.16, flip: true }, () => fish(canvas, tang, true))
    hearts(canvas, [
      [240, 122, 16],
      [218, 90, 10],
      [258, 64, 12],
      [236, 36, 7],
    ])
    const random = seeded('bubbles')
    for (let i = 0; i < 16; i++) {
      const [x, y, size] = [random() * 480, random() * 290, 3 + random() * 6]
      canvas.fill(ellipse(x, y, size), '#ffffff3a')
      canvas.fill(ellipse(x - size * 0.3, y - size * 0.35, size * 0.3), '#ffffffb0')
    }
  },

  'weiner-dogs-kiss': (canvas) => {
    sky(canvas, '#2c2a5e', '#5b4488', '#b8699a', '#f4a58e')
    stars(canvas, 'kiss', 36, 170, '#ffeedd')
    glow(canvas, 240, 150, 66, '#ffe9b8')
    hill(canvas, [266, 240, 256, 240, 268], '#7a4a86')
    hill(canvas, [308, 288, 278, 288, 308], '#4f3470', '#3a2659')
    shadow(canvas, 100, 326, 124, '#1c123888')
    shadow(canvas, 380, 326, 124, '#1c123888')
    canvas.at(68, 324, { scale: 0.98 }, () => longDog(canvas, { length: 140, mood: 'happy', step: 0 }))
    canvas.at(412, 324, { scale: 0.98, flip: true }, () =>
      longDog(canvas, { length: 140, mood: 'asleep', step: 0, coat: blackAndTan }),
    )
    hearts(canvas, [
      [240, 146, 24],
      [206, 108, 9],
      [276, 102, 11],
    ])
  },

  'frog-prince': (canvas) => {
    sky(canvas, '#a8dccb', '#d9f0d8', '#fbf4d6')
    glow(canvas, 400, 76, 32, '#fff3bf')
    hill(canvas, [222, 204, 216, 200, 214], '#9fd0a0')
    for (const x of [20, 44, 66, 424, 448, 468]) {
      const top = 130 + ((x * 13) % 50)
      canvas.line(`M${x} 260 L${x + 3} ${top}`, 4, '#5a9a62')
      canvas.line(`M${x + 3} ${top} L${x + 3} ${top + 34}`, 11, '#8a5a3c')
    }
    canvas.fill(path('M-10 250 C140 234 340 234 490 250 L490 380 L-10 380 Z'), {
      from: [0, 240],
      to: [0, 360],
      colours: ['#7cc4d4', '#3f8fb4'],
    })
    for (const [x, y, half] of [
      [90, 290, 50],
      [380, 276, 60],
      [420, 340, 50],
      [70, 344, 40],
    ] as const)
      canvas.fill(ellipse(x, y, half, 3), '#ffffff55')
    for (const [x, y, half] of [
      [240, 314, 168],
      [432, 304, 40],
      [52, 316, 34],
    ] as const) {
      canvas.fill(ellipse(x, y + half * 0.04, half, half * 0.2), '#3a8a5a')
      canvas.fill(ellipse(x, y, half, half * 0.19), '#58b070')
    }
    flower(canvas, 432, 292, 17, '#fbd0dc')
    flower(canvas, 52, 306, 13, '#fbd0dc')
    canvas.at(240, 312, { scale: 1.36 }, () => {
      frog(canvas, 'kissing')
      canvas.at(0, -148, { scale: 0.8 }, () => crown(canvas))
    })
    hearts(canvas, [
      [356, 128, 15],
      [384, 160, 9],
      [112, 140, 12],
      [88, 112, 8],
    ])
  },
}

function coral(canvas: Canvas, x: number, y: number): void {
  for (const [dx, dy] of [
    [-26, -44],
    [-4, -66],
    [20, -50],
  ] as const) {
    canvas.line(`M${x} ${y} Q${x + dx * 0.2} ${y + dy * 0.6} ${x + dx} ${y + dy}`, 12, '#f2788c', 9)
  }
}
