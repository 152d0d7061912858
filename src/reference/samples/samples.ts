import type { Route } from '../../http/route.ts'
import { callOf } from './call.ts'
import { printCurl } from './curl.ts'
import { printJavaScript } from './javascript.ts'
import { printPython } from './python.ts'

export const languages = { sh: 'curl', js: 'JavaScript', python: 'Python' } as const

/** One call, in one language or in all. */
export interface Sample {
  readonly title: string
  readonly codes: readonly { readonly language: keyof typeof languages; readonly code: string }[]
}

/** The sample calls of the route, or one with the default examples. */
export function samplesOf(route: Route, base: string): readonly Sample[] {
  return (route.samples ?? [{}]).map((sample) => {
    const call = callOf(route, base, sample)
    const parameters = Object.entries(sample.query ?? {}).map(([name, value]) => `\`${name}=${value}\``)
    const others = [
      { language: 'js', code: printJavaScript(call) },
      { language: 'python', code: printPython(call) },
    ] as const
    return {
      title: ['Call', ...parameters].join(' with '),
      codes: [{ language: 'sh', code: printCurl(call) }, ...(sample.isOnlyCurl ? [] : others)],
    }
  })
}
