import { useSyncExternalStore } from 'react'
import { createListeners } from './listeners.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const root = document.documentElement
const yearSeconds = 31_536_000
const { tell, subscribe } = createListeners()

const present = (): Theme => themes.find((theme) => theme === root.dataset.theme) ?? 'system'

/** Kept in a cookie of this page alone: the service writes it into the page, which is in that theme from the first paint. */
export function chooseTheme(theme: Theme): void {
  root.dataset.theme = theme
  const age = theme === 'system' ? 0 : yearSeconds
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API, and none over plain HTTP
  document.cookie = `menagerie_theme=${theme}; Path=${location.pathname}; Max-Age=${age}; SameSite=Strict`
  tell()
}

/** Another tab may have chosen one. */
document.addEventListener('visibilitychange', () => {
  const [, kept = 'system'] = /(?:^|; )menagerie_theme=(\w+)/.exec(document.cookie) ?? []
  if (document.hidden || kept === present()) return
  root.dataset.theme = kept
  tell()
})

export const useTheme = (): Theme => useSyncExternalStore(subscribe, present)
