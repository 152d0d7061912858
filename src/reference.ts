import { readFileSync } from 'node:fs'
import { hashPlaces, mostPasswordBytes } from './accounts/passwords.ts'
import { username } from './accounts/schemas.ts'
import { notFound } from './base/errors.ts'
import { baseUrlOf, type Config, sections } from './config.ts'
import { type Documents, renderDocuments } from './http/reference/documents.ts'
import { describe, type Reference, type ReferenceInput, type ServiceInput } from './http/reference/model.ts'
import type { Route } from './http/route.ts'
import { workerErrors, workerRoutes } from './status-worker.ts'

export interface Described {
  readonly config: Config
  readonly apiRoutes: readonly Route[]
  readonly baseUrl?: string
}

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Everything that the documents are printed from, put together. */
export function referenceInput({ config, apiRoutes, ...given }: Described): ReferenceInput {
  const baseUrl = given.baseUrl ?? baseUrlOf(config, config.PORT)
  const api: ServiceInput = {
    title: 'The API',
    base: baseUrl,
    envelope: 'message',
    errors: [notFound('<METHOD>', '<path>')],
  }
  const worker: ServiceInput = {
    title: 'The status worker',
    base: `http://${config.STATUS_HOST.includes(':') ? `[${config.STATUS_HOST}]` : config.STATUS_HOST}:${config.STATUS_PORT}`,
    envelope: 'ok',
    errors: Object.values(workerErrors),
  }
  const isAccounts = ({ path }: Route) => path.startsWith('/auth/')
  return {
    title: 'Menagerie',
    version: JSON.parse(textOf('../package.json')).version,
    summary: 'Accounts and access tokens as a self-hosted service, with a status worker beside it.',
    intro: textOf('./http/reference/intro.md'),
    decisions: textOf('../docs/decisions.md'),
    groups: [
      {
        title: 'Base',
        description: 'Whether the service lives and can serve, and its reference. No token needed.',
        service: api,
        routes: apiRoutes.filter((route) => !isAccounts(route)),
      },
      {
        title: 'Accounts',
        description: 'Register, sign in and out, change the password.',
        service: api,
        routes: apiRoutes.filter(isAccounts),
      },
      {
        title: 'The status worker',
        description:
          'A process of its own. It needs no token, and answers only to the networks in `STATUS_ALLOW`, by the address of the connection.',
        service: worker,
        routes: workerRoutes(),
      },
    ],
    limits: [
      { what: 'Username', value: `${username.minLength} to ${username.maxLength} characters`, beyond: '400' },
      {
        what: 'Password that is set',
        value: `${config.PASSWORD_MIN_LENGTH} characters to ${mostPasswordBytes} bytes`,
        beyond: '400',
      },
      {
        what: 'Password hashes at a time',
        value: `${hashPlaces.slots}, and ${hashPlaces.queue} that wait`,
        beyond: '503 with `Retry-After`',
      },
    ],
    settings: sections,
    texts: { ...publicValues(config), BASE_URL: baseUrl },
  }
}

export const referenceModel = (described: Described): Reference => describe(referenceInput(described))
export const makeDocuments = (described: Described): Documents => renderDocuments(referenceModel(described))

/** A message may name any setting but a secret. */
function publicValues(config: Config): Record<string, string> {
  const secrets = Object.values(sections).flatMap((table) =>
    Object.entries(table).flatMap(([name, spec]) => ('secret' in spec && spec.secret ? [name] : [])),
  )
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      !secrets.includes(name) && (typeof value === 'string' || typeof value === 'number')
        ? [[name, String(value)]]
        : [],
    ),
  )
}
