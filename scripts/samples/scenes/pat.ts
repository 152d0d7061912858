import { longDog } from '../characters/dachshund.ts'
import { sittingFox } from '../characters/fox.ts'
import { deep, pattingHand, warm } from '../characters/hand.ts'
import { arm, bearHead, brownBear, bunnyHead, greyBunny, plushBody } from '../characters/plush.ts'
import { sittingShibe } from '../characters/shibe.ts'
import { cloud, flower, glow, hearts, hill, pine, shadow, sky, tree } from '../scenery.ts'
import { ellipse, heart, path, rect, roundRect } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const pat: Scenes = {
  'pat-for-a-shibe': (canvas) => {
    sky(canvas, '#c9e8f2', '#eaf6ec', '#fdf4df')
    cloud(canvas, 84, 76, 1, '#ffffff')
    hill(canvas, [264, 240, 258, 236, 254], '#c0dfae')
    tree(canvas, 64, 292, 1.1, '#6fb887', '#88c89b')
    hill(canvas, [300, 288, 292, 288, 302], '#9fd090', '#82bd7b')
    shadow(canvas, 214, 334, 92, '#3f6f4a44')
    canvas.at(208, 334, { scale: 1.14 }, () => sittingShibe(canvas, 'happy', undefined, '#3f8f8a'))
    canvas.at(224, 122, { scale: 1.1 }, () => pattingHand(canvas, warm))
    hearts(canvas, [
      [104, 150, 14],
      [76, 190, 9],
      [330, 190, 12],
      [356, 226, 8],
    ])
    for (const [x, y] of [
      [40, 330],
      [100, 342],
      [388, 332],
      [446, 344],
      [424, 304],
    ] as const)
      flower(canvas, x, y, 9, '#ffffff')
  },

  'pat-for-a-fox': (canvas) => {
    sky(canvas, '#f7c59f', '#fadcb8', '#fdeed2')
    glow(canvas, 92, 110, 46, '#fff4d6')
    hill(canvas, [250, 224, 248, 222, 240], '#e3a878')
    for (const [x, size] of [
      [40, 0.9],
      [84, 0.7],
      [446, 1],
    ] as const)
      pine(canvas, x, 284, size, '#5e8a76')
    hill(canvas, [294, 280, 284, 280, 296], '#a9b877', '#8aa366')
    shadow(canvas, 216, 332, 92, '#55662f55')
    canvas.at(206, 332, { scale: 1.1 }, () => sittingFox(canvas, 'happy'))
    canvas.at(222, 128, { scale: 1.05 }, () => pattingHand(canvas, deep))
    hearts(canvas, [
      [96, 178, 13],
      [70, 214, 8],
      [340, 176, 11],
    ])
  },

  'pat-for-a-weiner-dog': (canvas) => {
    sky(canvas, '#e6d9f0', '#e6d9f0')
    for (let x = 20; x < 480; x += 48) canvas.fill(rect(x, 0, 20, 268), '#eee4f5')
    canvas.fill(roundRect(44, 44, 92, 116, 4), '#c79a6b')
    canvas.fill(rect(54, 54, 72, 96), '#fff6e6')
    canvas.fill(heart(90, 102, 22), '#ef8a94')
    canvas.fill(rect(0, 262, 480, 98), '#c99a80')
    canvas.fill(rect(0, 262, 480, 8), '#ffffff')
    canvas.fill(ellipse(226, 326, 216, 30), '#7c6aa6')
    canvas.fill(ellipse(226, 324, 198, 24), '#9684be')
    shadow(canvas, 216, 328, 150, '#43346a66')
    canvas.at(186, 328, { scale: 1.1 }, () => longDog(canvas, { mood: 'happy', step: 0 }))
    canvas.at(318, 138, { scale: 1, degrees: 4 }, () => pattingHand(canvas, warm))
    hearts(canvas, [
      [210, 120, 13],
      [182, 152, 8],
      [420, 226, 11],
    ])
  },

  'bear-pats-bunny': (canvas) => {
    sky(canvas, '#9bd0c8', '#cfe9d8', '#f5f3d8')
    glow(canvas, 400, 80, 34, '#fff6c9')
    hill(canvas, [256, 232, 252, 230, 250], '#a4d1a5')
    for (const [x, size] of [
      [38, 1.1],
      [436, 1.2],
      [396, 0.8],
    ] as const)
      pine(canvas, x, 296, size, '#4f9a80')
    hill(canvas, [296, 284, 288, 284, 298], '#8cc48a', '#70b077')
    shadow(canvas, 182, 330, 84, '#2f5a4055')
    shadow(canvas, 310, 332, 60, '#2f5a4055')
    canvas.at(180, 330, { scale: 1.42 }, () => {
      plushBody(canvas, brownBear)
      arm(canvas, 'M-42 -84 C-56 -66 -54 -48 -46 -36', brownBear)
      canvas.at(2, -138, { degrees: 5 }, () => bearHead(canvas, 'calm'))
    })
    canvas.at(312, 332, { scale: 1 }, () => {
      plushBody(canvas, greyBunny)
      arm(canvas, 'M-40 -86 C-50 -70 -36 -52 -16 -48', greyBunny, 20)
      arm(canvas, 'M40 -86 C50 -70 36 -52 16 -48', greyBunny, 20)
      canvas.fill(path('M-6 -70 L6 -70 L3 -24 Q0 -14 -3 -24 Z'), '#f08a3c')
      canvas.fill(path('M-12 -86 Q0 -78 0 -68 Q0 -78 12 -86 Q6 -70 0 -68 Q-6 -70 -12 -86 Z'), '#5fae6a')
      canvas.at(0, -132, {}, () => bunnyHead(canvas, 'happy'))
    })
    canvas.at(180, 330, { scale: 1.42 }, () => arm(canvas, 'M40 -88 C56 -100 64 -116 80 -128', brownBear))
    hearts(canvas, [
      [384, 156, 12],
      [404, 188, 8],
    ])
    for (const [x, y] of [
      [60, 330],
      [104, 346],
      [420, 340],
      [240, 346],
    ] as const)
      flower(canvas, x, y, 9, '#fff4f0')
  },
}
