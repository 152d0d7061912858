import { createHashHistory, type RouterHistory } from '@tanstack/react-router'

/**
 * The router's history. It numbers its entries, but not those whose address was typed or pasted; with a number, leaving
 * and entering them can be blocked too.
 */
export function createNumberedHistory(): RouterHistory {
  const numberEntry = () => {
    if (typeof window.history.state?.__TSR_index === 'number') return
    const key = String(Math.random())
    const state = { key, __TSR_key: key, __TSR_index: history.location.state.__TSR_index + 1 }
    // Not by the router's own, which would take it for a navigation.
    History.prototype.replaceState.call(window.history, state, '')
  }
  // Before the router reads it.
  addEventListener('popstate', numberEntry, { capture: true })
  const history = createHashHistory()
  return history
}
