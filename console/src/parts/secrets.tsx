import { type ComponentType, useSyncExternalStore } from 'react'
import { createListeners } from './listeners.ts'

/** What the service tells only once. */
export interface Secret {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** What to do with it. */
  readonly note?: string
}

interface Shown extends Secret {
  /** Brought along, since it cannot be loaded if the service is unavailable by then. */
  readonly View: ComponentType<Secret & { readonly onClose: () => void }>
}

let secrets: readonly Shown[] = []
const { tell, subscribe } = createListeners()

function set(next: readonly Shown[]): void {
  secrets = next
  tell()
}

export const addSecret = (secret: Shown) => set([...secrets, secret])
export const forgetSecrets = () => set([])

export function Secrets() {
  const [first, ...others] = useSyncExternalStore(subscribe, () => secrets)
  if (first === undefined) return null
  const { View, ...secret } = first
  return <View key={secret.secret} {...secret} onClose={() => set(others)} />
}
