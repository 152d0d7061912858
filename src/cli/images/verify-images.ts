import { createHash } from 'node:crypto'
import { isMd5 } from '../../images/checksum.ts'
import { cutOffText, EndCheck } from '../../images/end-check.ts'
import { beginsAsImage, faultOf } from '../../images/fault.ts'
import { typeOf } from '../../images/served.ts'
import { beginBytes } from '../../images/signatures.ts'
import { counted, inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import type { ProgressPart, Screen } from '../progress.ts'
import { type EachImageOptions, eachImage } from './each-image.ts'
import { configOf, type OpenImages, type ServedObject } from './image-store.ts'
import { isKnownType, isSameType, signatureBytes, typeOfBytes } from './image-types.ts'
import { SetAsideReport } from './set-aside.ts'

type Aspect = 'checksum' | 'type' | 'bytes'

interface Problem {
  readonly name: string
  readonly what: Aspect
  readonly reason: string
}

export function verifyImages(cli: Cli, screen: Screen, options: EachImageOptions): Promise<void> {
  const count = { checked: 0, bytes: 0, checksumNotKnown: 0, gone: 0 }
  const problems: Problem[] = []
  const setAside = new SetAsideReport(configOf(cli, 'fail'))
  return eachImage(cli, screen, options, {
    begin: async (images, signal) => async (object, part) => {
      const found = await verify(images, object, signal, part)
      if (found === null) return void count.gone++
      problems.push(...found.problems)
      count.checked++
      setAside.add(object.name, found.fault)
      count.bytes += object.size
      if (!found.isChecksumKnown) count.checksumNotKnown++
    },
    failed: ({ name }, reason) => void problems.push({ name, what: 'bytes', reason: `cannot be read: ${reason}` }),
    report() {
      const bad = new Set(problems.map(({ name }) => name)).size
      const sum = `Read ${counted(count.checked, 'image')} (${inBytes(count.bytes)}): ${bad} with a problem, ${count.checksumNotKnown} without a checksum in the store.`
      return {
        document: { ...count, bad, problems, setAside: setAside.document() },
        lines: [...problems.map(({ name, what, reason }) => `${name}  ${what}: ${reason}`), sum, ...setAside.lines()],
        failure: bad > 0 ? `${counted(bad, 'image')} failed verification; import or upload the originals again.` : null,
      }
    },
  })
}

/** Null if it has been deleted since it was listed. */
async function verify({ store, bucket }: OpenImages, { name }: ServedObject, signal: AbortSignal, part: ProgressPart) {
  const reading = await store.read({ bucket, name }, signal)
  if (reading === null) return null
  const { head } = reading
  const md5 = createHash('md5')
  const end = new EndCheck()
  let begin = Buffer.alloc(0)
  for await (const piece of reading.chunks()) {
    part.moved(piece.length)
    md5.update(piece)
    end.take(piece)
    const missing = beginBytes - begin.length
    if (missing > 0) begin = Buffer.concat([begin, piece.subarray(0, missing)])
  }
  const problems: Problem[] = []
  const isChecksumKnown = isMd5(head.etag)
  const sum = md5.digest('hex')
  if (isChecksumKnown && head.etag.toLowerCase() !== sum)
    problems.push({ name, what: 'checksum', reason: `the ETag is ${head.etag}, but the MD5 of the bytes is ${sum}` })
  const wrongType = typeProblem(typeOf(head), head.type === null, typeOfBytes(begin.subarray(0, signatureBytes)))
  if (wrongType !== null) problems.push({ name, what: 'type', reason: wrongType })
  if (end.isCutOff) problems.push({ name, what: 'bytes', reason: cutOffText })
  return { problems, isChecksumKnown, fault: faultOf(beginsAsImage(begin), head) }
}

/** Null also for a type that cannot be detected. */
function typeProblem(served: string, isUnset: boolean, found: string | null): string | null {
  const as = isUnset ? `no stored type, served as ${served}` : `served as ${served}`
  if (found === null) return isKnownType(served) ? `${as}, but the bytes are not an image of a known type` : null
  return isSameType(served, found) ? null : `${as}, but the bytes are ${found}`
}
