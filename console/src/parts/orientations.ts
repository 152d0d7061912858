import { orientations } from '../../../src/images/shapes/choices.ts'

/** For `Select`. */
export const orientationOptions = [
  ['', 'Any'],
  ...orientations.map((each) => [each, each.slice(0, 1).toUpperCase() + each.slice(1)] as const),
] as const
