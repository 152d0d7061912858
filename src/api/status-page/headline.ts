import { fill, fillText, type Texts, time, timeText } from './texts/texts.ts'
import type { PageState, StatusView } from './view.ts'

type Name = keyof Texts['headlines']

/** Whether people wrote of an open incident that it affects the service as a whole. */
export const isOfAll = ({ resolvedAt, components }: StatusView['writtenIncidents'][number]) =>
  resolvedAt === null && components.length === 0

/** What the page says of everything, by the share that it is true of: an outage of some components is partial. */
function headlineOf({ state, unknownSince, components, writtenIncidents }: StatusView): Name {
  if (unknownSince !== null) return 'workerAway'
  if (writtenIncidents.some((each) => isOfAll(each) && each.status === state)) return state
  if (components.length === 0) return 'none'
  if (components.every((each) => each.state === state)) return state
  if (state === 'outage') return 'partial'
  return state === 'maintenance' || state === 'unknown' ? `${state}InPart` : state
}

const tones: Readonly<Record<Name, PageState>> = {
  operational: 'operational',
  degraded: 'degraded',
  partial: 'partial',
  outage: 'outage',
  maintenance: 'maintenance',
  maintenanceInPart: 'maintenance',
  unknown: 'unknown',
  unknownInPart: 'unknown',
  none: 'unknown',
  workerAway: 'unknown',
}

export const toneOf = (view: StatusView): PageState => tones[headlineOf(view)]

export const headlineText = (view: StatusView, { headlines }: Texts): string =>
  fillText(headlines[headlineOf(view)], { time: timeText(view.unknownSince ?? view.at) })

export const headlineMarkup = (view: StatusView, { headlines }: Texts) =>
  fill(headlines[headlineOf(view)], { time: time(view.unknownSince ?? view.at) })
