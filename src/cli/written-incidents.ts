import * as acts from '../api/admin-status/acts.ts'
import type { TypeOf } from '../http/schema.ts'
import * as schemas from '../status/written-incident-schemas.ts'
import type { Cli } from './cli-context.ts'
import { onOneLine, quoted } from './output.ts'
import { change, noteUnheard, query } from './status-worker.ts'

interface OpenOptions {
  readonly text: string
  readonly level: string
  readonly component?: readonly string[]
  readonly from?: string
}

interface UpdateOptions {
  readonly level?: string
  readonly component?: readonly string[]
}

interface Update extends UpdateOptions {
  readonly id: string
  readonly stage: string
  readonly text: string
}

type Incident = TypeOf<typeof schemas.writtenIncidents>['incidents'][number]

export async function openIncident(cli: Cli, title: string, { component, ...options }: OpenOptions): Promise<void> {
  const body = { title, ...options, ...(component && { components: component }) }
  const { incident } = await change(cli, acts.openIncident(body))
  await show(cli, [incident])
  await noteUnheard(cli, incident.components)
}

export async function updateIncident(cli: Cli, { id, component, ...update }: Update): Promise<void> {
  const body = { ...update, ...(component && { components: component }) }
  const { incident } = await change(cli, acts.updateIncident(id, body))
  await show(cli, [incident])
}

export async function deleteIncident(cli: Cli, id: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (!yes) {
    cli.ask.checkPossible()
    const found = (await allWritten(cli)).find((each) => each.id === id)
    const what = found?.byHand ? `The incident ${quoted(found.byHand.title)}` : 'What people wrote about a silence'
    // Of one that is not there, the worker says so.
    if (found) await cli.ask.confirm(`${what} will be deleted.`)
  }
  const { incident } = await change(cli, acts.deleteIncident(id))
  cli.out.note('Deleted; the status page follows within 10 seconds.')
  await show(cli, [incident])
}

export const listWrittenIncidents = async (cli: Cli): Promise<void> => show(cli, await allWritten(cli))

async function allWritten(cli: Cli): Promise<readonly Incident[]> {
  const all: Incident[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/incidents/written${cursor === '' ? '' : `?cursor=${cursor}`}`
    const { incidents, next } = await query(cli, schemas.writtenIncidents, 'GET', path)
    all.push(...incidents)
    cursor = next
  }
  return all
}

async function show(cli: Cli, incidents: readonly Incident[]): Promise<void> {
  const rows = incidents.map(({ id, byHand, components, updates }) => {
    const { stage, text } = updates.at(-1) ?? { stage: '-', text: '' }
    return [
      ...[id, byHand?.level ?? 'silence', stage, components.join(', ')],
      onOneLine(byHand?.title ?? ''),
      onOneLine(text),
    ]
  })
  await cli.out.print({ incidents }, cli.out.list(['ID', 'LEVEL', 'STAGE', 'COMPONENTS', 'TITLE', 'LAST UPDATE'], rows))
}
