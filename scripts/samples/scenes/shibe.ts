import { lyingShibe, shibeHead, sittingShibe } from '../characters/shibe.ts'
import type { Canvas } from '../raster.ts'
import { cloud, flower, glow, hill, pine, shadow, sky, snowfall, sunburst } from '../scenery.ts'
import { seeded } from '../seeded.ts'
import { ellipse, join, path, polygon, rect, roundRect } from '../shapes.ts'
import type { Scenes } from './scene.ts'

export const shibe: Scenes = {
  'shibe-smiles': (canvas) => {
    sky(canvas, '#8fd3cf', '#8fd3cf')
    sunburst(canvas, 240, 200, 16, '#9fdcd6')
    canvas.fill(ellipse(240, 190, 150), '#fdf3dc')
    canvas.fill(ellipse(240, 190, 134), '#f9dfa6')
    canvas.within(join(ellipse(240, 190, 134), rect(90, 0, 300, 190)), () => {
      canvas.fill(path('M130 400 C140 290 190 262 240 262 C290 262 340 290 350 400 Z'), '#e9a65a')
      canvas.fill(path('M190 270 L290 270 C286 320 262 344 240 350 C218 344 194 320 190 270 Z'), '#fff5e6')
      canvas.fill(path('M160 268 Q240 312 320 268 L328 288 Q240 334 152 288 Z'), '#3f8f8a')
      canvas.fill(path('M224 300 L256 300 L272 352 L240 338 L208 352 Z'), '#35807b')
    })
    canvas.at(240, 196, { scale: 1.62 }, () => shibeHead(canvas, 'happy'))
    for (const [x, y, size] of [
      [58, 70, 16],
      [420, 62, 20],
      [436, 290, 15],
      [44, 268, 20],
    ] as const) {
      flower(canvas, x, y, size, '#fff8ea', '#f6b445')
    }
  },

  'shibe-under-cherry-blossom': (canvas) => {
    sky(canvas, '#bfe3ef', '#e6f3ee', '#fdeee8')
    canvas.fill(polygon([250, 120], [420, 268], [80, 268]), '#a9c3dc')
    canvas.within(polygon([250, 120], [420, 268], [80, 268]), () => {
      canvas.fill(path('M200 100 L300 100 L306 172 L286 160 L268 180 L248 160 L226 182 L208 160 L190 174 Z'), '#ffffff')
    })
    hill(canvas, [262, 250, 258, 246, 262], '#b7d7a8')
    hill(canvas, [300, 290, 284, 292, 300], '#9cc98d', '#7fb67c')
    blossomTree(canvas)
    shadow(canvas, 298, 328, 84, '#3f6f4a44')
    canvas.at(292, 328, { scale: 1.08 }, () => sittingShibe(canvas, 'calm'))
    const random = seeded('petals')
    for (let i = 0; i < 34; i++) {
      canvas.fill(ellipse(random() * 480, random() * 350, 4, 2.3, random() * 180), i % 2 ? '#f7a9bd' : '#fbc6d2')
    }
  },

  'shibe-with-a-scarf': (canvas) => {
    sky(canvas, '#31406e', '#6276a6', '#aebfdd')
    hill(canvas, [232, 214, 240, 210, 226], '#8094bf')
    for (const [x, y, size] of [
      [52, 284, 1.25],
      [120, 268, 0.8],
      [400, 272, 1],
      [452, 290, 1.3],
    ] as const) {
      pine(canvas, x, y, size, '#2f5a68', '#eaf2fb')
    }
    hill(canvas, [286, 272, 278, 270, 284], '#dbe7f5')
    hill(canvas, [324, 312, 308, 314, 326], '#f6faff', '#d6e4f4')
    snowfall(canvas, 'scarf', 90, '#ffffffe6')
    shadow(canvas, 240, 332, 88, '#5d76a544')
    canvas.at(240, 332, { scale: 1.16 }, () => {
      sittingShibe(canvas, 'calm')
      const scarf = path('M-46 -112 Q0 -76 46 -112 L50 -92 Q0 -54 -50 -92 Z')
      canvas.marked(scarf, '#d9434e', () => stripes(canvas, -50, 20))
      canvas.marked(path('M14 -84 L38 -92 L48 -38 L24 -34 Z'), '#c93843', () => {
        canvas.fill(path('M10 -52 L60 -60 L60 -50 L10 -42 Z'), '#ffe6d5')
      })
    })
  },

  'shibe-dozes': (canvas) => {
    sky(canvas, '#f7d9c4', '#f7d9c4')
    canvas.fill(roundRect(52, 34, 168, 186, 12), '#ffffff')
    canvas.marked(rect(62, 44, 148, 166), { from: [0, 44], to: [0, 210], colours: ['#9fd4ee', '#d8effa'] }, () => {
      glow(canvas, 182, 76, 18, '#fff3c2')
      cloud(canvas, 104, 104, 0.7, '#ffffff')
      canvas.fill(ellipse(100, 232, 90, 56), '#8cc08a')
      canvas.fill(ellipse(200, 238, 70, 52), '#76b07c')
    })
    canvas.fill(rect(132, 44, 8, 166), '#ffffff')
    canvas.fill(rect(62, 122, 148, 8), '#ffffff')
    canvas.fill(polygon([62, 212], [210, 212], [420, 360], [180, 360]), '#ffffff3a')
    canvas.fill(rect(0, 262, 480, 98), '#d99f77')
    canvas.fill(rect(0, 262, 480, 7), '#fff1e2')
    for (const y of [294, 328]) canvas.fill(rect(0, y, 480, 2.5), '#c68a63')
    canvas.fill(ellipse(268, 318, 178, 32), '#5f8fa8')
    canvas.fill(ellipse(268, 315, 160, 26), '#78a7bd')
    plant(canvas)
    shadow(canvas, 272, 322, 132, '#2b4a5e55')
    canvas.at(266, 320, { scale: 1.26 }, () => lyingShibe(canvas, 'asleep'))
    canvas.line('M268 128 L284 128 L268 147 L284 147', 3.6, '#a8705a')
    canvas.line('M300 92 L322 92 L300 117 L322 117', 4.4, '#a8705a')
  },
}

function stripes(canvas: Canvas, from: number, step: number): void {
  for (let x = from; x < 60; x += step)
    canvas.fill(polygon([x, -120], [x + 7, -120], [x + 7, -50], [x, -50]), '#ffe6d5')
}

function blossomTree(canvas: Canvas): void {
  canvas.line('M70 330 C84 250 60 190 92 120', 30, '#6d4a4a', 14)
  canvas.line('M80 210 C120 180 150 160 196 96', 12, '#6d4a4a', 6)
  const crown: [number, number, number][] = [
    [20, 90, 70],
    [110, 50, 76],
    [200, 62, 52],
    [40, 20, 80],
    [256, 30, 42],
  ]
  canvas.fill(join(...crown.map(([x, y, r]) => ellipse(x, y, r))), '#f19bb4')
  canvas.fill(join(...crown.map(([x, y, r]) => ellipse(x - 8, y - 14, r * 0.84))), '#f7b5c8')
  canvas.fill(join(...crown.map(([x, y, r]) => ellipse(x - 18, y - 26, r * 0.56))), '#fccfdb')
  for (const [x, y] of [
    [60, 110],
    [130, 92],
    [208, 80],
    [166, 30],
    [90, 40],
    [24, 140],
    [262, 44],
  ] as const) {
    flower(canvas, x, y, 11, '#fff1f4', '#f19bb4')
  }
}

function plant(canvas: Canvas): void {
  for (const [x, y, lean] of [
    [386, 118, -30],
    [420, 96, 0],
    [454, 124, 28],
  ] as const) {
    canvas.fill(
      path(`M420 236 Q${x - 22} ${y + 60} ${x + lean} ${y} Q${x + 30} ${y + 64} 420 236 Z`),
      x === 420 ? '#5c9f78' : '#4b8a69',
    )
  }
  canvas.fill(path('M388 214 L452 214 L443 276 Q442 282 436 282 L404 282 Q398 282 397 276 Z'), '#c9665a')
  canvas.fill(roundRect(382, 206, 76, 16, 5), '#dc7b6c')
}
