import { array, integer, literal, object, oneOf, string } from '../http/schema.ts'
import type { Catalogue } from './catalogue.ts'
import { parseKey } from './names.ts'
import type { ImageParts } from './parts.ts'
import type { Pool } from './pool.ts'
import { type Looks, maxUndecodable } from './sizes/looks.ts'

export interface ProblemDeps extends Pick<ImageParts, 'kinds'> {
  readonly catalogue: Pick<Catalogue, 'find'>
  readonly pool: Pick<Pool, 'unserved'>
  readonly looks: Pick<Looks, 'undecodable'>
}

const maxShown = 100
const problems = ['badName', 'empty', 'nested', 'undecodable'] as const

export const problemList = object(
  {
    status: literal(200),
    count: integer({ minimum: 0, examples: [1] }),
    files: array(
      object(
        {
          name: string({ description: 'Of a folder, with a slash at the end', examples: ['fox/my fox.png'] }),
          problem: oneOf(problems, {
            description:
              '`badName`: other characters than letters, digits, `.`, `_` and `-`, or `..`. `nested`: a folder. `undecodable`: served as stored, but no size can be made; it is damaged or too large',
          }),
        },
        { title: 'ImageProblem' },
      ),
      { description: `At most ${maxShown} of them, sorted by name` },
    ),
  },
  { title: 'ImageProblems' },
)

type Problem = { readonly name: string; readonly problem: (typeof problems)[number] }

/** What the last listing found that is never served, and of what no size could be made. */
export async function listProblems({ catalogue, kinds, pool, looks }: ProblemDeps) {
  const { named, count } = pool.unserved
  const undecodable = (await looks.undecodable(maxUndecodable)).filter(({ name, etag }) => {
    const image = parseKey(kinds, name)
    return image !== null && catalogue.find(image.kind, image.filename)?.etag === etag
  })
  const files: Problem[] = undecodable.map(({ name }) => ({ name, problem: 'undecodable' }))
  for (const { name, why } of named) if (why !== 'elsewhere') files.push({ name, problem: why })
  files.sort((one, other) => (one.name < other.name ? -1 : 1))
  return { status: 200, count: count + undecodable.length, files: files.slice(0, maxShown) }
}
