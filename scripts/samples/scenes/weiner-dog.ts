import { blackAndTan, dachshundHead, dogCollar, longDog, russet } from '../characters/dachshund.ts'
import { cloud, flower, glow, grass, hill, leaf, shadow, sky, sunburst, tree } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import { ellipse, heart, path, polygon, roundRect } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const weinerDog: Scenes = {
  'weiner-dog-strolls': (canvas) => {
    sky(canvas, '#8ecdf0', '#d6effa', '#fdf6e3')
    glow(canvas, 406, 74, 34, '#fff0b8')
    cloud(canvas, 90, 84, 1, '#ffffff')
    cloud(canvas, 262, 52, 0.7, '#ffffff')
    hill(canvas, [220, 196, 218, 190, 214], '#b6dba4')
    tree(canvas, 60, 268, 1, '#5fae7a', '#78c08c')
    tree(canvas, 430, 262, 0.8, '#5fae7a', '#78c08c')
    hill(canvas, [268, 256, 260, 254, 266], '#8fcb86', '#74b873')
    canvas.fill(path('M-20 330 C120 296 340 300 500 322 L500 350 C340 326 140 326 -20 366 Z'), '#f3dfb4')
    shadow(canvas, 236, 318, 160, '#5d6a3c44')
    canvas.at(216, 316, { scale: 1.1 }, () => {
      longDog(canvas)
      dogCollar(canvas, 190, '#d9434e')
    })
    for (const [x, y] of [
      [30, 306],
      [66, 290],
      [424, 300],
      [458, 340],
      [330, 350],
      [180, 352],
    ] as const) {
      flower(canvas, x, y, 8, '#ffffff')
    }
  },

  'weiner-dog-in-a-jumper': (canvas) => {
    sky(canvas, '#f6d6a8', '#fbe8c8')
    glow(canvas, 110, 104, 44, '#fff4d4')
    hill(canvas, [236, 210, 234, 204, 226], '#e8b777')
    tree(canvas, 396, 290, 1.5, '#d8743c', '#e58c4e')
    tree(canvas, 60, 284, 0.9, '#c95a3c', '#da7049')
    hill(canvas, [292, 278, 284, 276, 290], '#c98f4c', '#b37b40')
    const random = seeded('jumper')
    const colours = ['#d9572f', '#ef9b3a', '#b8432f', '#f3bd4f']
    for (let i = 0; i < 26; i++)
      leaf(
        canvas,
        random() * 480,
        i < 10 ? random() * 250 : 300 + random() * 56,
        9,
        random() * 360,
        colours[i % 4] ?? '',
      )
    shadow(canvas, 226, 326, 156, '#6b3c2244')
    canvas.at(206, 324, { scale: 1.08 }, () => {
      longDog(canvas, {
        coat: blackAndTan,
        mood: 'happy',
        clothes: () => {
          canvas.fill(polygon([-70, -130], [64, -130], [98, -80], [74, 0], [-70, 0]), '#3f7f8c')
          for (const x of [-50, -14, 22]) canvas.fill(roundRect(x, -130, 14, 140, 0), '#f4e4c8')
          for (const x of [-32, 4, 40]) canvas.fill(roundRect(x, -130, 6, 140, 0), '#e6a03e')
        },
      })
      canvas.line('M86 -104 Q100 -74 140 -80', 17, '#356d79')
      canvas.line('M-70 -85 L-70 -29', 10, '#356d79')
    })
  },

  'weiner-dog-in-a-bun': (canvas) => {
    sky(canvas, '#ffd166', '#ffd166')
    sunburst(canvas, 240, 210, 18, '#ffdc85')
    shadow(canvas, 236, 322, 176, '#b8741f66')
    canvas.at(216, 318, { scale: 1.12 }, () => {
      canvas.fill(
        path('M-136 -58 C-146 -112 -92 -120 -40 -116 C10 -112 60 -118 92 -112 C112 -106 112 -60 100 -40 L-120 -40 Z'),
        '#d98c3f',
      )
      canvas.fill(
        path('M-128 -64 C-134 -104 -90 -110 -40 -106 C10 -102 60 -108 88 -104 C104 -98 104 -60 96 -40 L-110 -40 Z'),
        '#f6d39a',
      )
      longDog(canvas, { mood: 'happy' })
      canvas.line(
        'M-92 -80 Q-80 -98 -66 -80 Q-54 -62 -40 -80 Q-28 -98 -14 -80 Q-2 -62 12 -80 Q24 -98 38 -80 Q48 -64 60 -80',
        9,
        '#ffd93d',
      )
      const bun = path(
        'M-138 -48 C-140 -72 -112 -66 -84 -62 C-30 -56 30 -56 78 -62 C104 -66 126 -66 122 -44 C118 -18 84 -14 -10 -14 C-104 -14 -134 -18 -138 -48 Z',
      )
      canvas.marked(bun, '#e59d4c', () => {
        canvas.fill(path('M-150 -30 C-80 -22 60 -20 140 -34 L140 0 L-150 0 Z'), '#d18638')
        canvas.line('M-112 -48 C-60 -40 30 -40 92 -46', 6, '#f3b869')
      })
    })
    for (const [x, y] of [
      [70, 80],
      [412, 56],
      [44, 190],
      [440, 300],
      [150, 44],
    ] as const)
      canvas.fill(heart(x, y, 13), '#ef6f5a')
  },

  'weiner-dog-goes-on-and-on': (canvas) => {
    sky(canvas, '#bfe0d8', '#bfe0d8')
    for (let x = 30; x < 480; x += 60) for (let y = 30; y < 360; y += 60) canvas.fill(ellipse(x, y, 4), '#d3ebe4')
    const [fur, tan] = [russet.fur, russet.pale]
    canvas.line('M72 296 C40 296 30 280 30 252', 15, fur, 6)
    for (const x of [92, 128])
      canvas.marked(roundRect(x, 296, 26, 48, 10), russet.shade, () => canvas.fill(ellipse(x + 13, 346, 20, 13), tan))
    const body = 'M96 292 L358 292 C442 292 442 192 358 192 L150 192 C66 192 66 92 150 92 L236 92'
    canvas.line(body, 66, fur)
    canvas.line('M92 312 L358 312 C380 312 398 306 410 296', 7, `${russet.dark}2e`)
    canvas.line('M150 212 L358 212', 7, `${russet.dark}2e`)
    canvas.line('M150 112 L236 112', 7, `${russet.dark}2e`)
    canvas.line('M150 74 C112 78 92 104 102 132', 7, '#d98a58aa')
    canvas.line('M370 174 C412 178 428 220 412 250', 7, '#d98a58aa')
    for (const x of [206, 240])
      canvas.marked(roundRect(x, 100, 26, 52, 10), fur, () => canvas.fill(ellipse(x + 13, 154, 20, 13), tan))
    canvas.line('M240 98 L272 74', 56, fur)
    canvas.at(290, 66, { scale: 1.12 }, () => dachshundHead(canvas, 'happy'))
    for (const [x, y, size] of [
      [412, 40, 14],
      [444, 70, 9],
      [430, 330, 11],
      [44, 60, 11],
    ] as const)
      canvas.fill(heart(x, y, size), '#ec6a5c')
    grass(canvas, 'on and on', 344, 40, ['#8cc3a8', '#79b598'])
  },
}
