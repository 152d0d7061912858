import type { Canvas } from '../raster.ts'

/** Pictures by the name of their file, without its ending. */
export type Scenes = Readonly<Record<string, (canvas: Canvas) => void>>
