import { owl, robin, roundBird, swallow, toucan } from '../characters/birds.ts'
import type { Canvas } from '../raster.ts'
import { cloud, flower, glow, hill, leaf, pine, sky, stars, sunburst } from '../scenery.ts'
import { ellipse, path } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const bird: Scenes = {
  'robin-in-spring': (canvas) => {
    sky(canvas, '#bfe6ea', '#eef7ea', '#fdf3e1')
    glow(canvas, 96, 90, 36, '#fff3c4')
    cloud(canvas, 392, 70, 0.9, '#ffffff')
    hill(canvas, [300, 276, 296, 270, 290], '#c5e2b4')
    hill(canvas, [336, 322, 328, 316, 330], '#a6d199')
    canvas.line('M-10 300 C110 270 250 286 490 236', 17, '#7d5a4c', 9)
    canvas.line('M330 268 C360 220 380 200 420 180', 8, '#7d5a4c', 3)
    canvas.line('M90 282 C70 240 60 220 36 206', 8, '#7d5a4c', 3)
    for (const [x, y, turn] of [
      [420, 176, -30],
      [370, 212, -80],
      [36, 202, 220],
      [120, 300, 60],
      [450, 262, 40],
      [62, 236, 160],
    ] as const) {
      leaf(canvas, x, y, 14, turn, '#7fbf7a')
    }
    for (const [x, y, size] of [
      [394, 196, 13],
      [352, 240, 11],
      [50, 222, 12],
      [82, 258, 10],
      [440, 244, 12],
      [26, 296, 11],
    ] as const) {
      flower(canvas, x, y, size, '#f9b4c6', '#fff0c9')
    }
    canvas.at(214, 172, { scale: 1.6 }, () => roundBird(canvas, robin))
  },

  'owl-at-night': (canvas) => {
    sky(canvas, '#1b1f4a', '#33407f', '#5a6bab')
    stars(canvas, 'owl', 50, 250, '#fdf3c9')
    glow(canvas, 250, 140, 96, '#fdeeb5', '#fdeeb51e')
    canvas.fill(ellipse(214, 96, 14), '#f3dd98')
    canvas.fill(ellipse(310, 176, 10), '#f3dd98')
    hill(canvas, [316, 290, 310, 284, 306], '#2c376f')
    for (const [x, size] of [
      [40, 1],
      [88, 0.7],
      [400, 0.8],
      [446, 1.15],
    ] as const)
      pine(canvas, x, 352, size, '#222b5c')
    canvas.line('M-10 286 C140 296 300 300 490 268', 20, '#4a3542', 14)
    canvas.line('M90 290 C70 320 60 330 40 350', 9, '#4a3542', 3)
    canvas.line('M400 284 C420 250 440 240 470 226', 9, '#4a3542', 3)
    for (const [x, y, turn] of [
      [470, 224, -30],
      [440, 238, -100],
      [40, 350, 120],
      [340, 306, 60],
      [120, 276, -60],
    ] as const) {
      leaf(canvas, x, y, 14, turn, '#3f6b6a')
    }
    canvas.at(240, 286, { scale: 1.24 }, () => owl(canvas))
  },

  'toucan-in-the-leaves': (canvas) => {
    sky(canvas, '#f9e2a0', '#f6c98a')
    sunburst(canvas, 250, 170, 14, '#fff3cf55')
    for (const [x, y, turn, size] of [
      [30, 30, 40, 1.3],
      [470, 40, 140, 1.3],
      [-6, 200, 0, 1.1],
      [486, 210, 180, 1],
      [120, -20, 70, 1.1],
      [370, -24, 112, 1.1],
    ] as const) {
      frond(canvas, x, y, turn, size, '#2f8f6f', '#257a60')
    }
    canvas.line('M-10 300 C140 280 320 310 490 282', 20, '#80563f', 16)
    canvas.at(204, 290, { scale: 1.3 }, () => toucan(canvas))
    for (const [x, y, turn, size] of [
      [40, 372, -50, 1.3],
      [130, 380, -80, 0.9],
      [440, 376, -126, 1.3],
      [350, 384, -96, 0.8],
    ] as const) {
      frond(canvas, x, y, turn, size, '#3fae7f', '#2f9a70')
    }
    for (const [x, y, size] of [
      [60, 288, 16],
      [424, 270, 18],
      [396, 302, 12],
    ] as const)
      flower(canvas, x, y, size, '#ef5f7a')
  },

  'swallow-above-the-clouds': (canvas) => {
    sky(canvas, '#f7a88b', '#fbc9a0', '#fde6c4')
    glow(canvas, 352, 132, 56, '#fff2cf')
    for (const [x, y, size] of [
      [70, 70, 0.8],
      [426, 214, 0.7],
    ] as const)
      cloud(canvas, x, y, size, '#fff3e6')
    for (const [y, step, radius, colour] of [
      [318, 74, 56, '#fbd8c2'],
      [344, 88, 58, '#fdeadb'],
      [372, 66, 50, '#ffffff'],
    ] as const) {
      for (let x = -20; x < 520; x += step) canvas.fill(ellipse(x + (y % 50), y + ((x * 7) % 19), radius), colour)
    }
    canvas.at(220, 196, { scale: 1.26, degrees: -10 }, () => swallow(canvas))
    for (const [x, y] of [
      [60, 196],
      [88, 182],
      [44, 224],
    ] as const)
      canvas.line(
        `M${x - 10} ${y - 4} Q${x - 4} ${y - 6} ${x} ${y} Q${x + 4} ${y - 6} ${x + 10} ${y - 4}`,
        2.6,
        '#a8605a',
      )
  },
}

function frond(
  canvas: Canvas,
  x: number,
  y: number,
  degrees: number,
  scale: number,
  colour: string,
  vein: string,
): void {
  canvas.at(x, y, { degrees, scale }, () => {
    canvas.fill(path('M0 0 C30 -44 90 -44 130 0 C90 44 30 44 0 0 Z'), colour)
    canvas.line('M-10 0 L116 0', 3.5, vein, 1.5)
    for (const at of [28, 52, 76]) canvas.line(`M${at} 0 L${at + 18} -20 M${at} 0 L${at + 18} 20`, 2.4, vein)
  })
}
