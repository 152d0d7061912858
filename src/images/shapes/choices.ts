/* What a request may ask for in a shape; the console offers the same. */

export const orientations = ['landscape', 'portrait', 'square'] as const
export type Orientation = (typeof orientations)[number]

/** The sides that the console offers. */
export const minSides = [320, 640, 1280, 1920, 2560, 3840] as const
