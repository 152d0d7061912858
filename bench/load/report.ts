import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { overRepeats, verdictOf } from './gates.ts'
import type { Finding, LoadRun } from './load-run.ts'
import { aboutMachine } from './machine.ts'
import { type Panel, plot } from './plot.ts'
import type { Sample, Watched } from './samples.ts'

export interface Outcome extends Pick<LoadRun, 'id' | 'title'> {
  /** One for each repeat. */
  readonly findings: readonly Finding[]
  /** Why it was not run, or how it broke off. */
  readonly notRun?: string
  readonly brokeOff?: string
}

export interface Report {
  readonly command: string
  /** By which the runs are shortened; 1: not at all. */
  readonly factor: number
  readonly repeats: number
  readonly outcomes: readonly Outcome[]
}

/** Four significant digits at most. */
export const shown = (figure: number, unit: string): string => {
  const digits = Number.isInteger(figure) ? figure : Number(figure.toPrecision(figure < 1000 ? 3 : 4))
  return `${digits.toLocaleString('en')}${unit && ` ${unit}`}`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (...cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`

export const hasFailed = ({ findings, brokeOff }: Outcome): boolean =>
  brokeOff !== undefined || findings.some(({ gates }) => gates.some(({ held }) => held === false))

/** One line for each gate. */
export function gateRows({ id, title, findings, notRun, brokeOff }: Outcome): string[] {
  const gates = overRepeats(findings.map((finding) => finding.gates)).map((gate) => {
    const figures = [gate.median, gate.worst].map((figure) => shown(figure, gate.unit))
    const figure = findings.length > 1 ? `${figures[0]}, worst ${figures[1]}` : `${figures[0]}`
    return row(id, gate.what, gate.must, figure, verdictOf(gate))
  })
  if (notRun !== undefined) gates.push(row(id, title, '', '', `not run: ${notRun}`))
  if (brokeOff !== undefined) gates.push(row(id, title, '', brokeOff, 'FAILED'))
  return gates
}

export const notesOf = ({ findings }: Outcome): string[] =>
  findings.flatMap(({ notes, watched }) => [...notes, ...(watched ? [aboutCores(watched)] : [])])

/** What the machine, rather than the service, is to blame for. */
const aboutCores = ({ delays, computed, waitedShare }: Watched) =>
  `Event loop delay: p99 ${delays.p99.toFixed(1)} ms, max ${delays.max.toFixed(1)} ms. ` +
  `The main thread itself computed for at most ${computed.p99.toFixed(1)} ms at a time (p99), ${computed.max.toFixed(1)} ms (max). ` +
  `The main thread waited for a core ${(waitedShare * 100).toFixed(0)} % of the time.`

export const tableHead = `${row('', 'what', 'must hold', 'measured', '')}\n|---|---|---|---|---|`

/** Writes report.md and its plots into the folder; returns the path of the report. */
export function writeReport(folder: string, { command, factor, repeats, outcomes }: Report): string {
  mkdirSync(folder, { recursive: true })
  const sections = outcomes.map((outcome) => {
    const { id, title, findings } = outcome
    const plots = findings.flatMap(({ watched }, index) => {
      if (watched === undefined) return []
      const file = `${id}${findings.length > 1 ? `-${index + 1}` : ''}.svg`
      writeFileSync(join(folder, file), plot(panelsOf(watched)))
      return [`![${id}: memory, descriptors and event loop of the service](${file})`]
    })
    const notes = notesOf(outcome).map((note) => `- ${note}`)
    return [`## ${id}: ${title}`, notes.join('\n'), `${tableHead}\n${gateRows(outcome).join('\n')}`, ...plots]
  })
  const extent =
    factor === 1 ? 'In full.' : `Shortened by a factor of ${factor}; each run keeps a least size, which its notes say.`
  const head = [
    '# Load and soak',
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${aboutMachine()}.`,
    `${extent} ${repeats > 1 ? `${repeats} repeats; a gate holds if it held in each.` : 'Each run once.'}`,
  ]
  const summary = `${tableHead}\n${outcomes.flatMap(gateRows).join('\n')}`
  const text = [...head, summary, ...sections.flat()].filter((part) => part !== '').join('\n\n')
  const file = join(folder, 'report.md')
  writeFileSync(file, `${text}\n`)
  return file
}

function panelsOf({ samples }: Watched): Panel[] {
  const points = (of: (sample: Sample) => number) => samples.map((each) => [each.seconds, of(each)] as const)
  return [
    { title: 'Resident memory', unit: 'MiB', lines: [{ name: 'memory', points: points((each) => each.residentMb) }] },
    { title: 'Open descriptors', unit: 'count', lines: [{ name: 'open', points: points((each) => each.descriptors) }] },
    {
      title: 'Event loop delay in each second',
      unit: 'ms',
      lines: [
        { name: 'p99', points: points((each) => each.delays.p99) },
        { name: 'max', points: points((each) => each.delays.max) },
      ],
    },
  ]
}
