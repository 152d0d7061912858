import { readFileSync } from 'node:fs'

export const readPackage = (): { readonly version: string; readonly license: string; readonly author: string } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
