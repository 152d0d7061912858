import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { writeTypes } from '../client/write-types.ts'
import { readConfig } from '../src/config/config.ts'
import { sections } from '../src/config/settings.ts'
import { renderDocuments } from '../src/reference/documents.ts'
import { printEnvExample } from '../src/reference/env-example.ts'
import { printSettings } from '../src/reference/markdown-settings.ts'
import { referenceModel } from '../src/reference/reference.ts'
import { printWorkerOpenapi } from '../src/reference/worker.ts'
import { printReliability } from '../test/faults/reliability.ts'

/* Writes the generated documents of the repository; with --check, names those that are out of date. */

const config = readConfig({})
const model = referenceModel(config)
const documents = renderDocuments(model)

const files: Readonly<Record<string, string>> = {
  'docs/reference.md': await documents.markdown(),
  'docs/settings.md': printSettings(model),
  'docs/reliability.md': printReliability(),
  'docs/openapi.json': await documents.openapi(),
  'docs/openapi.worker.json': printWorkerOpenapi(config),
  '.env.example': printEnvExample(sections),
}

const urlOf = (path: string) => new URL(`../${path}`, import.meta.url)
const isCurrent = (path: string) => existsSync(urlOf(path)) && readFileSync(urlOf(path), 'utf8') === files[path]
const outdated = Object.keys(files).filter((path) => !isCurrent(path))

if (process.argv.includes('--check')) {
  for (const path of outdated) console.error(`${path} is out of date: run npm run generate`)
  process.exitCode = outdated.length > 0 ? 1 : 0
} else {
  for (const path of outdated) {
    writeFileSync(urlOf(path), files[path] ?? '')
    console.log(`wrote ${path}`)
  }
  await writeTypes()
}
