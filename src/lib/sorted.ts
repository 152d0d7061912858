/** The index of the first of `size` ascending values that is not below this one. */
export function firstFrom(values: Uint32Array | Float64Array, size: number, value: number): number {
  let from = 0
  let to = size
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((values[middle] as number) < value) from = middle + 1
    else to = middle
  }
  return from
}
