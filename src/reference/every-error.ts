import { ownErrors, type Reference } from './model.ts'

interface User {
  readonly text: string
  readonly id: string
  readonly isRoute: boolean
}

/** Each error text once, by status, with its routes. */
export function everyError({ groups, anywhere, withToken }: Reference) {
  const found = new Map<string, { status: number; message: string; usedBy: User[] }>()
  const add = (status: number, message: string, user: User) => {
    const key = `${status} ${message}`
    const usedBy = found.get(key)?.usedBy ?? []
    const isKnown = usedBy.some(({ id }) => id === user.id)
    found.set(key, { status, message, usedBy: isKnown ? usedBy : [...usedBy, user] })
  }
  for (const { id, service, errors } of anywhere) {
    for (const { status, message } of errors)
      add(status, message, {
        text: `any path of ${lowerFirst(service.title)}`,
        id,
        isRoute: false,
      })
  }
  for (const { status, message } of withToken.errors)
    add(status, message, { text: 'every route with a token', id: withToken.id, isRoute: false })
  for (const view of groups.flatMap(({ listed }) => listed)) {
    const { id, route, path } = view
    for (const { status, message } of ownErrors(view, withToken.errors))
      add(status, message, { text: `${route.method} ${path}`, id, isRoute: true })
  }
  return [...found.values()].toSorted((a, b) => a.status - b.status || a.message.localeCompare(b.message, 'en'))
}

export const lowerFirst = (text: string) => (/^The /.test(text) ? `the ${text.slice(4)}` : text)
