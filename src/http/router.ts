import type { Route } from './route.ts'

export interface Match<R extends Route> {
  readonly route: R
  readonly params: Readonly<Record<string, string>>
}

const noParams: Readonly<Record<string, string>> = Object.freeze({})

/**
 * Paths are case-sensitive, and an extra slash makes a different path. HEAD is routed as GET. A path without parameters
 * is one map lookup; the few others with the same first segment are compared segment by segment. `takesAnySegment`: a
 * parameter with an invalid encoding is passed on as sent.
 */
export function createRouter<R extends Route>(routes: readonly R[], takesAnySegment = false) {
  const fixed = new Map<string, Map<string, Match<R>>>()
  /** By the first segment, which is no parameter. */
  const patterns = new Map<string, { route: R; segments: readonly string[] }[]>()
  for (const route of routes) {
    if (route.path.includes('/:')) {
      const segments = route.path.split('/')
      const [, first = ''] = segments
      if (first.startsWith(':')) throw new Error(`the first segment of ${route.path} is a parameter`)
      patterns.set(first, [...(patterns.get(first) ?? []), { route, segments }])
      continue
    }
    const methods = fixed.get(route.path) ?? new Map<string, Match<R>>()
    if (methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
    fixed.set(route.path, methods.set(route.method, { route, params: noParams }))
  }

  const patternsLike = ([, first = '']: readonly string[]) => patterns.get(first) ?? []

  const matchPattern = (segments: readonly string[], method: string): Match<R> | null => {
    for (const { route, segments: pattern } of patternsLike(segments)) {
      const params = route.method === method ? paramsOf(pattern, segments) : null
      if (params) return { route, params }
    }
    return null
  }

  return {
    /** `malformed`: the percent-encoding of the path is invalid. */
    find(method: string, path: string): Match<R> | 'malformed' | null {
      const wanted = method === 'HEAD' ? 'GET' : method
      if (!path.includes('%')) {
        return fixed.get(path)?.get(wanted) ?? matchPattern(segmentsOf(path), wanted)
      }
      const raw = takesAnySegment ? matchPattern(segmentsOf(path).map(decodedOrRaw), wanted) : null
      if (raw) return raw
      const segments = decodeSegments(path)
      return segments ? (fixed.get(joined(segments))?.get(wanted) ?? matchPattern(segments, wanted)) : 'malformed'
    },
    methodsOf(path: string): readonly string[] {
      const segments = decodeSegments(path) ?? []
      const found = new Set([
        ...(fixed.get(joined(segments))?.keys() ?? []),
        ...patternsLike(segments)
          .filter(({ segments: pattern }) => paramsOf(pattern, segments))
          .map(({ route }) => route.method),
      ])
      return found.has('GET') ? [...found, 'HEAD'] : [...found]
    },
  }
}

/** The decoded path, or the path as sent if its encoding is invalid. */
export function plainPathOf(path: string): string {
  const segments = path.includes('%') ? decodeSegments(path) : null
  return segments ? joined(segments) : path
}

/** An encoded slash stays encoded. */
const joined = (segments: readonly string[]) => segments.map((segment) => segment.replaceAll('/', '%2F')).join('/')

/** Unlike `split`, does not intern every segment that was ever requested. */
function segmentsOf(path: string): string[] {
  const segments: string[] = []
  let from = 0
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', from)) {
    segments.push(path.slice(from, slash))
    from = slash + 1
  }
  segments.push(path.slice(from))
  return segments
}

function decodedOrRaw(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function decodeSegments(path: string): string[] | null {
  try {
    return segmentsOf(path).map(decodeURIComponent)
  } catch {
    return null
  }
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (let index = 0; index < pattern.length; index += 1) {
    const [expected, segment] = [pattern[index] as string, segments[index] as string]
    if (expected.startsWith(':')) {
      if (segment === '') return null
      params[expected.slice(1)] = segment
    } else if (expected !== segment) return null
  }
  return params
}
