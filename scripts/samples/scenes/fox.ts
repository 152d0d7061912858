import { curledFox, foxHead, sittingFox } from '../characters/fox.ts'
import { cloud, glow, grass, hill, leaf, pine, shadow, sky, snowfall, stars, tree } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import type { Scenes } from './scene.ts'

export const fox: Scenes = {
  'fox-at-dusk': (canvas) => {
    sky(canvas, '#3d2c5e', '#8a4a7d', '#e97d6b', '#ffc27a')
    stars(canvas, 'dusk', 26, 120, '#ffe9d6')
    glow(canvas, 330, 218, 50, '#ffe1a0')
    hill(canvas, [230, 205, 232, 214, 240], '#9c4f77')
    hill(canvas, [262, 250, 240, 258, 244], '#6b3a68')
    for (const [x, size] of [
      [40, 0.7],
      [78, 0.95],
      [414, 0.8],
      [452, 0.6],
    ] as const)
      pine(canvas, x, 268, size, '#4b2c57')
    hill(canvas, [318, 300, 290, 296, 312], '#43274f', '#2e1b3d')
    shadow(canvas, 190, 318, 84)
    canvas.at(180, 318, { scale: 1.05 }, () => sittingFox(canvas))
    grass(canvas, 'dusk grass', 348, 34, ['#2a1838', '#371f46'])
  },

  'fox-in-snow': (canvas) => {
    sky(canvas, '#9cc9e6', '#cfe6f3', '#f3f8fb')
    glow(canvas, 96, 84, 30, '#fffbe8')
    hill(canvas, [214, 196, 222, 190, 206], '#bcd8ea')
    for (const [x, y, size] of [
      [36, 262, 1.2],
      [106, 250, 0.9],
      [372, 252, 1],
      [436, 266, 1.35],
    ] as const) {
      pine(canvas, x, y, size, '#3f7a78', '#f7fbff')
    }
    hill(canvas, [262, 252, 256, 250, 264], '#e2eff8')
    hill(canvas, [312, 298, 304, 296, 316], '#ffffff', '#dcebf6')
    snowfall(canvas, 'snow', 90)
    shadow(canvas, 250, 326, 84, '#6d93b840')
    canvas.at(240, 326, { scale: 1.08 }, () => sittingFox(canvas, 'happy'))
  },

  'fox-asleep': (canvas) => {
    sky(canvas, '#14224a', '#27407a', '#4f6fa8')
    stars(canvas, 'night nap', 40, 200, '#fdf3c9')
    glow(canvas, 384, 78, 38, '#fff2c4')
    hill(canvas, [240, 214, 236, 226, 208], '#2b4a7c')
    tree(canvas, 62, 290, 1.25, '#2f5f73', '#3a7382')
    hill(canvas, [296, 274, 266, 276, 292], '#2f6662', '#1d4650')
    shadow(canvas, 252, 318, 124, '#0a1a3055')
    canvas.at(250, 314, { scale: 1.25 }, () => curledFox(canvas))
    canvas.line('M262 178 L276 178 L262 194 L276 194', 3.4, '#fdf3c9')
    canvas.line('M292 146 L311 146 L292 167 L311 167', 4, '#fdf3c9cc')
    grass(canvas, 'asleep grass', 346, 30, ['#16393f', '#1f4c4c'])
  },

  'fox-in-leaves': (canvas) => {
    sky(canvas, '#fbe3b5', '#f9cf8e')
    glow(canvas, 240, 150, 92, '#fff0c9', '#fff0c944')
    cloud(canvas, 80, 84, 0.9, '#fff6e0')
    cloud(canvas, 408, 112, 0.8, '#fff6e0')
    hill(canvas, [240, 224, 250, 220, 244], '#eab266')
    tree(canvas, 50, 290, 1.3, '#d1603a', '#e2794a')
    tree(canvas, 436, 292, 1.4, '#c9862f', '#dba144')
    hill(canvas, [286, 270, 276, 268, 288], '#c98745')
    canvas.at(240, 190, { scale: 1.62 }, () => foxHead(canvas))
    const random = seeded('leaves')
    const colours = ['#d9572f', '#ef9b3a', '#b8432f', '#f3bd4f', '#8f5a34']
    for (let i = 0; i < 80; i++) {
      const [x, row] = [((i % 20) + random()) * 25 - 10, Math.floor(i / 20)]
      leaf(canvas, x, 292 + row * 20 + random() * 10, 24 + random() * 8, random() * 360, colours[i % 5] ?? '')
    }
    for (const [x, y, turn] of [
      [112, 150, 30],
      [372, 178, -40],
      [240, 56, 70],
      [130, 36, 10],
      [398, 52, 150],
    ] as const) {
      leaf(canvas, x, y, 12, turn, '#d9572f')
    }
  },
}
