import { readFileSync, writeFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

/*
 * node kubernetes.mjs <file…>: every object is valid by the schema of its kind. objects.ts has them as literals, in which
 * TypeScript finds fields that the schema lacks.
 */

const kinds = {
  Namespace: 'v1',
  ConfigMap: 'v1',
  Service: 'v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
}

const program = []
for (const file of process.argv.slice(2))
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    for (const error of document.errors) throw error
    const object = document.toJS()
    const name = `${file}: ${object.kind} ${object.metadata?.name}`
    if (kinds[object.kind] !== object.apiVersion) throw new Error(`${name}: unknown, or not of ${object.apiVersion}`)
    const models = await import(`kubernetes-models/${object.apiVersion}`)
    new models[object.kind](object).validate()
    const alias = `Kind${program.length}`
    const from = `kubernetes-models/${object.apiVersion}`
    const { apiVersion: _, kind: __, ...fields } = object
    program.push(
      `import { ${object.kind} as ${alias} } from '${from}'\nnew ${alias}(${JSON.stringify(fields, null, 2)})\n`,
    )
    console.log(`${name}: valid`)
  }
writeFileSync('objects.ts', program.join(''))
