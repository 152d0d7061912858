/** A set of keys like `fox/a.png` that can be drawn from uniformly by kind, in constant time. */
export class KeysByKind {
  readonly #lists = new Map<string, string[]>()
  readonly #indexes = new Map<string, number>()

  add(key: string): void {
    if (this.#indexes.has(key)) return
    const list = this.#lists.get(kindOf(key)) ?? []
    this.#lists.set(kindOf(key), list)
    this.#indexes.set(key, list.push(key) - 1)
  }

  delete(key: string): void {
    const index = this.#indexes.get(key)
    if (index === undefined) return
    this.#indexes.delete(key)
    const list = this.#lists.get(kindOf(key)) as string[]
    const last = list.pop() as string
    if (last === key) return
    list[index] = last
    this.#indexes.set(last, index)
  }

  /** A uniformly random key of these kinds; null if there is none. */
  any(of: readonly string[], random: () => number): string | null {
    const lists = of.map((kind) => this.#lists.get(kind) ?? [])
    let index = Math.floor(random() * lists.reduce((sum, { length }) => sum + length, 0))
    for (const list of lists) {
      if (index < list.length) return list[index] as string
      index -= list.length
    }
    return null
  }
}

const kindOf = (key: string) => key.slice(0, key.indexOf('/'))
