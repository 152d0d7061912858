import type { Extent } from '../../images/shapes/shape.ts'

type Sized = Pick<Extent, 'width' | 'height'>

/** Width and height of the entries of a kind by ordinal: four bytes each. 0 if unknown; no side exceeds 65,535. */
export class Sides {
  #sides = new Uint16Array(0)

  set(ordinal: number, shape: Sized | null): void {
    const at = ordinal * 2
    if (at >= this.#sides.length) {
      const grown = new Uint16Array(2 * Math.ceil(ordinal * 1.25 + 512))
      grown.set(this.#sides)
      this.#sides = grown
    }
    this.#sides[at] = shape?.width ?? 0
    this.#sides[at + 1] = shape?.height ?? 0
  }

  /** Whether the entry has at least these sides. Called for every entry of a kind: creates nothing. */
  reach(ordinal: number, width: number, height: number): boolean {
    return (this.#sides[ordinal * 2] as number) >= width && (this.#sides[ordinal * 2 + 1] as number) >= height
  }

  clear(): void {
    this.#sides = new Uint16Array(0)
  }
}
