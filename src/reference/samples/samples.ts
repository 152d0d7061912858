import type { Route } from '../../http/route.ts'
import { callOf } from './call.ts'
import { printCurl } from './curl.ts'
import { printJavaScript } from './javascript.ts'
import { printPython } from './python.ts'

/** One call, in one language or in all. */
export interface Sample {
  readonly title: string
  readonly codes: readonly { readonly title: string; readonly language: string; readonly code: string }[]
}

/** Only curl, unless the route has sample calls. */
export function samplesOf(route: Route, base: string): readonly Sample[] {
  if (!route.samples) return [{ title: 'Call', codes: [curlOf(printCurl(callOf(route, base)))] }]
  return route.samples.map((sample) => {
    const call = callOf(route, base, sample)
    const parameters = Object.entries(sample.query ?? {}).map(([name, value]) => `\`${name}=${value}\``)
    const others = [
      { title: 'JavaScript', language: 'js', code: printJavaScript(call) },
      { title: 'Python', language: 'python', code: printPython(call) },
    ]
    return {
      title: ['Call', ...parameters].join(' with '),
      codes: [curlOf(printCurl(call)), ...(sample.isOnlyCurl ? [] : others)],
    }
  })
}

const curlOf = (code: string) => ({ title: 'curl', language: 'sh', code })
