import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Writes src/openapi.ts, the types of the client, from docs/openapi.json. Whatever compiles the client runs this first:
 * the check, the build, and the tests that compile.
 */

type Json = Record<string, unknown>
type Document = { paths: Record<string, Record<string, Json>>; components: { schemas: Json } }

/** A default is what the service assumes, so that the caller may leave it out. */
const options = { defaultNonNullable: false }
const head = '/* Written by client/write-types.ts from docs/openapi.json. */\n\n'

/** Without what no method returns: errors are thrown (error.ts), and headers are read by http.ts. */
function successOnly(document: Document): Document {
  const methodsOf = (methods: Record<string, Json>) =>
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, operationOf(operation)]))
  const operationOf = ({ parameters, requestBody, responses }: Json) => ({
    ...(parameters !== undefined && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(
      Object.entries(responses as Record<string, Json>)
        .filter(([status]) => /^20[01]$/.test(status))
        .map(([status, { headers: _, ...response }]) => [status, response]),
    ),
  })
  const paths = Object.entries(document.paths).map(([path, methods]) => [path, methodsOf(methods)] as const)
  return { ...document, paths: Object.fromEntries(paths), components: { schemas: document.components.schemas } }
}

/** Wherever a request lists the kinds of this installation, a name for them. */
function namedKinds(openapi: string): Document {
  const path = JSON.parse(openapi).paths['/images/{kind}'].get
  const ImageKind = path.parameters.find((each: { name: string }) => each.name === 'kind').schema
  const kinds = JSON.stringify(ImageKind.enum)
  const document = JSON.parse(openapi, (_name, value) =>
    JSON.stringify(value?.enum) === kinds ? { $ref: '#/components/schemas/ImageKind' } : value,
  )
  Object.assign(document.components.schemas, { ImageKind })
  return document
}

async function printTypes(openapi: string): Promise<string> {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript')
  const printed = astToString(await openapiTypescript(successOnly(namedKinds(openapi)) as never, options))
  // Another installation has kinds of its own, and an editor still completes those of all.
  return head + printed.replace(/^( *ImageKind: [^;]+);$/m, '$1 | (string & {});')
}

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Does nothing if the types are newer than what they are made of. */
export async function writeTypes(): Promise<void> {
  const document = join(import.meta.dirname, '../docs/openapi.json')
  const types = join(import.meta.dirname, 'src/openapi.ts')
  if (changedAt(types) > Math.max(changedAt(document), changedAt(import.meta.filename))) return
  // Two test files may write at once.
  const temporary = `${types}-${process.pid}`
  writeFileSync(temporary, await printTypes(readFileSync(document, 'utf8')))
  renameSync(temporary, types)
}

if (import.meta.main) await writeTypes()
