import type { Canvas } from '../raster.ts'
import { ellipse, join, mirror, path, rect, symmetric } from '../shapes.ts'
import { blush, eyes, ink, type Mood } from './face.ts'

const [skin, shade, pale] = ['#7cc05c', '#5da045', '#e9f3c4']

/** A frog seen from the front; the origin is the ground below it, and it is about 170 tall. */
export function frog(canvas: Canvas, mood: Mood | 'kissing' = 'calm'): void {
  const thigh = ellipse(62, -26, 34, 28, 20)
  canvas.fill(join(thigh, mirror(thigh)), shade)
  canvas.marked(symmetric('M0 -100 C36 -100 58 -60 56 -30 C54 -6 34 2 0 2'), skin, () =>
    canvas.fill(ellipse(0, -22, 36, 46), pale),
  )
  for (const side of [-1, 1]) {
    canvas.line(`M${side * 46} -66 C${side * 50} -40 ${side * 40} -20 ${side * 34} -6`, 19, skin, 15)
    canvas.fill(join(ellipse(side * 24, 0, 9, 7), ellipse(side * 36, 2, 9, 7), ellipse(side * 48, 0, 9, 7)), skin)
    canvas.fill(join(ellipse(side * 70, 0, 9, 7), ellipse(side * 84, 1, 10, 7), ellipse(side * 96, -3, 8, 6)), shade)
  }
  const bulge = ellipse(38, -150, 25)
  canvas.fill(join(symmetric('M0 -150 C44 -152 76 -134 76 -106 C76 -76 44 -64 0 -64'), bulge, mirror(bulge)), skin)
  canvas.within(symmetric('M0 -150 C44 -152 76 -134 76 -106 C76 -76 44 -64 0 -64'), () =>
    canvas.fill(ellipse(0, -62, 62, 26), '#a5d67e'),
  )
  blush(canvas, 56, -102, '#e9a780', 10)
  canvas.fill(join(ellipse(-6, -122, 2, 2.6), ellipse(6, -122, 2, 2.6)), shade)
  frogEyes(canvas, mood)
  if (mood === 'kissing') {
    canvas.fill(path('M-15 -98 C-13 -110 -4 -110 0 -105 C4 -110 13 -110 15 -98 C10 -86 -10 -86 -15 -98 Z'), '#e2566b')
    return canvas.line('M-9 -98 Q0 -94 9 -98', 2.4, '#b83a50')
  }
  if (mood === 'smug') {
    canvas.line('M-30 -96 Q14 -84 44 -108', 3.2, ink)
    return canvas.line('M40 -113 Q48 -110 47 -103', 2.8, ink)
  }
  canvas.line('M-38 -104 Q0 -80 38 -104', 3.2, ink)
}

function frogEyes(canvas: Canvas, mood: Mood | 'kissing'): void {
  if (mood !== 'calm' && mood !== 'smug') {
    return eyes(canvas, { mood: mood === 'kissing' ? 'happy' : mood, apart: 38, y: -150, size: 9, lid: skin })
  }
  for (const x of [-38, 38]) {
    canvas.marked(ellipse(x, -150, 18), '#ffffff', () => {
      canvas.fill(ellipse(x + (mood === 'smug' ? 7 : 0), -147, 11), ink)
      canvas.fill(ellipse(x + (mood === 'smug' ? 11 : 4), -151, 3.4), '#ffffff')
      if (mood === 'smug') canvas.fill(rect(x - 20, -170, 40, 20), shade)
    })
    if (mood === 'smug') canvas.line(`M${x - 18} -150 L${x + 18} -150`, 3, ink)
  }
}
