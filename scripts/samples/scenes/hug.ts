import { catHead, greyCat } from '../characters/cat.ts'
import { foxHead, foxTail, paleFox, redFox } from '../characters/fox.ts'
import { flipper, penguin } from '../characters/penguin.ts'
import { bearHead, brownBear, bunnyHead, embrace, greyBunny } from '../characters/plush.ts'
import { sesame, shibeHead } from '../characters/shibe.ts'
import type { Canvas } from '../raster.ts'
import { cloud, flower, glow, hearts, hill, pine, shadow, sky, snowfall, stars, tree } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import { ellipse, path, roundRect } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const hug: Scenes = {
  'foxes-hug': (canvas) => {
    sky(canvas, '#f7b7a3', '#fbd6b0', '#fdecc8')
    glow(canvas, 240, 180, 88, '#fff3d1', '#fff3d14d')
    hill(canvas, [262, 232, 258, 228, 256], '#e9a58c')
    hill(canvas, [296, 280, 286, 280, 298], '#8fb98a', '#6f9f78')
    shadow(canvas, 240, 326, 130, '#2f5a4044')
    canvas.at(240, 324, { scale: 1.14 }, () => {
      const tail = (coat = redFox) => canvas.at(6, 0, { scale: 0.92 }, () => foxTail(canvas, coat))
      const left = { coat: redFox, head: (c: Canvas) => foxHead(c, 'happy'), behind: () => tail() }
      const right = { coat: paleFox, head: (c: Canvas) => foxHead(c, 'asleep', paleFox), behind: () => tail(paleFox) }
      embrace(canvas, left, right)
    })
    hearts(canvas, [
      [240, 36, 15],
      [206, 66, 8],
      [280, 68, 9],
    ])
    for (const [x, y] of [
      [40, 316],
      [84, 344],
      [400, 346],
      [444, 318],
      [62, 292],
      [420, 296],
    ] as const)
      flower(canvas, x, y, 9, '#fff4e6')
  },

  'bear-hugs-bunny': (canvas) => {
    sky(canvas, '#a9d8ee', '#d9eef2', '#fdf4e0')
    cloud(canvas, 80, 70, 1, '#ffffff')
    cloud(canvas, 404, 96, 0.8, '#ffffff')
    hill(canvas, [250, 222, 246, 220, 244], '#bfe0b0')
    tree(canvas, 44, 290, 1.1, '#6db488', '#84c49a')
    tree(canvas, 440, 292, 1.2, '#6db488', '#84c49a')
    hill(canvas, [290, 276, 282, 278, 292], '#94cc88', '#79b974')
    shadow(canvas, 240, 328, 124, '#2f5a4044')
    canvas.at(240, 326, { scale: 1.2 }, () =>
      embrace(
        canvas,
        { coat: brownBear, head: (c) => bearHead(c, 'asleep') },
        { coat: greyBunny, head: (c) => c.at(0, 6, { scale: 0.92 }, () => bunnyHead(c, 'happy')) },
      ),
    )
    hearts(canvas, [
      [214, 44, 13],
      [190, 74, 7],
      [238, 76, 7],
    ])
    for (const [x, y] of [
      [30, 330],
      [96, 338],
      [390, 340],
      [452, 328],
    ] as const)
      flower(canvas, x, y, 10, '#ffffff')
  },

  'penguins-hug': (canvas) => {
    sky(canvas, '#1d2b5c', '#2f5487', '#5f9fb0')
    stars(canvas, 'penguins', 40, 170, '#eef6ff')
    canvas.fill(
      path(
        'M-10 120 C90 40 160 130 250 70 C330 20 400 90 490 40 L490 90 C400 140 330 70 250 124 C160 180 90 90 -10 176 Z',
      ),
      '#6fe0b944',
    )
    canvas.fill(
      path(
        'M-10 150 C90 80 170 160 260 100 C340 60 400 120 490 76 L490 96 C400 146 340 90 260 136 C170 190 90 110 -10 182 Z',
      ),
      '#a5f3cf44',
    )
    hill(canvas, [250, 214, 262, 206, 240], '#8fb9d3')
    hill(canvas, [286, 270, 276, 268, 284], '#dcebf5', '#c3dbec')
    shadow(canvas, 240, 328, 126, '#46709a55')
    snowfall(canvas, 'penguins', 60)
    canvas.at(240, 324, { scale: 1.16 }, () => {
      canvas.at(66, 0, { degrees: -4 }, () => penguin(canvas, 'asleep', '#465a80'))
      canvas.at(-64, 0, { degrees: 4 }, () => penguin(canvas, 'happy'))
      canvas.at(108, -84, {}, () => flipper(canvas, 168, '#3a4c70'))
      canvas.at(-106, -84, {}, () => flipper(canvas, -8, '#2a3550'))
    })
    hearts(canvas, [
      [240, 58, 13],
      [264, 84, 7],
    ])
  },

  'hug-in-the-rain': (canvas) => {
    sky(canvas, '#7f93b8', '#a9b8d0', '#cfd6e0')
    for (const [x, y, size] of [
      [60, 60, 1.2],
      [410, 44, 1.4],
      [150, 26, 0.9],
    ] as const)
      cloud(canvas, x, y, size, '#93a4c4')
    for (const [x, size] of [
      [36, 0.9],
      [444, 1],
    ] as const)
      pine(canvas, x, 296, size, '#6d86a0')
    const random = seeded('rain')
    for (let i = 0; i < 70; i++) {
      const [x, y] = [random() * 500, random() * 300]
      canvas.line(`M${x} ${y} L${x - 4} ${y + 14}`, 2, '#e4edf7aa')
    }
    hill(canvas, [300, 292, 298, 290, 300], '#7d8fa9', '#66789a')
    canvas.fill(ellipse(240, 330, 170, 20), '#93a9c8')
    canvas.fill(ellipse(240, 328, 120, 12), '#a9bdd8')
    canvas.line('M240 40 L240 250', 6, '#5a4250')
    canvas.at(240, 328, { scale: 1.1 }, () =>
      embrace(
        canvas,
        { coat: sesame, head: (c) => c.at(0, 0, { scale: 0.96 }, () => shibeHead(c, 'happy')) },
        { coat: greyCat, head: (c) => catHead(c, 'asleep') },
      ),
    )
    umbrella(canvas)
    canvas.fill(roundRect(60, 338, 70, 5, 3), '#a9bdd8')
    canvas.fill(roundRect(360, 342, 80, 5, 3), '#a9bdd8')
  },
}

function umbrella(canvas: Canvas): void {
  canvas.line('M240 8 L240 26', 6, '#5a4250')
  const dome = 'M66 132 C70 50 150 14 240 14 C330 14 410 50 414 132 '
  const hem = 'Q385 112 356 132 Q327 112 298 132 Q269 112 240 132 Q211 112 182 132 Q153 112 124 132 Q95 112 66 132 Z'
  canvas.marked(path(dome + hem), '#e5566a', () => {
    canvas.fill(path('M124 140 C126 70 180 14 240 14 C200 30 184 80 182 140 Z'), '#f4768a')
    canvas.fill(path('M298 140 C296 80 280 30 240 14 C300 14 354 70 356 140 Z'), '#f4768a')
    canvas.fill(path('M356 140 C354 70 300 14 240 14 L430 14 L430 140 Z'), '#00000010')
  })
}
