import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Rounds } from '../contest.ts'
import type { Gate } from '../figures.ts'
import { chartOf } from './chart.ts'
import { type Comparison, tableOf } from './comparison.ts'

export interface Report {
  readonly rounds: Rounds
  readonly isQuick: boolean
  readonly comparisons: readonly Comparison[]
  /** Of parts that have no peer. */
  readonly gates: readonly Gate[]
  /** What was not run, and why. */
  readonly missing: readonly string[]
}

/** Writes `docs/benchmarks.md` and a picture for each comparison. */
export function writeReport(docs: string, { comparisons, gates, missing, isQuick, ...report }: Report): void {
  const { rounds, roundMs } = report.rounds
  mkdirSync(join(docs, 'benchmarks'), { recursive: true })
  for (const each of comparisons) writeFileSync(join(docs, 'benchmarks', `${each.id}.svg`), chartOf(each))
  writeFileSync(
    join(docs, 'benchmarks.md'),
    [
      '# Benchmarks',
      '',
      'What a request costs in CPU of the server, beside what one would otherwise write or run. Printed by',
      `\`npm run bench -- --peers${isQuick ? ' --quick' : ''} --write\` on the machine below. All services answer the`,
      `same requests in one run, in turns; the figures are medians of ${rounds} rounds, those of small requests of ${roundMs} ms each.`,
      'Repeat it before you believe it: another machine gives other figures, and about the same ratios.',
      '',
      `${machine()}.`,
      '',
      ...comparisons.flatMap(sectionOf),
      '## Against the least work possible',
      '',
      '| Figure | Measured | Holds |',
      '| --- | --- | --- |',
      ...gates.map(({ promise, figure, held }) => `| ${promise} | ${figure} | ${held ? 'yes' : '**no**'} |`),
      '',
      '`npm run bench` has more of them, and fails if one is missed.',
      '',
      '## What is not here',
      '',
      ...[
        'imgproxy: it comes neither from npm nor from Debian. For sizes, sharp alone is the peer.',
        'The latency over a network, and more than two cores.',
        ...missing,
      ].map((each) => `- ${each}`),
      '',
    ].join('\n'),
  )
}

const sectionOf = (comparison: Comparison): string[] => {
  const [head = [], ...rows] = tableOf(comparison)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `## ${comparison.title}`,
    '',
    comparison.about,
    '',
    `![${comparison.title}, in ${comparison.unit}](benchmarks/${comparison.id}.svg)`,
    '',
    line(head),
    line(head.map((_, column) => (column === 0 ? '---' : '--:'))),
    ...rows.map(line),
    '',
  ]
}

export function machine(): string {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  const versions = ['fastify', 'express'].map((name) => `${name} ${dependencies[name]}`)
  const nginx = /nginx\/\S+/.exec(execFileSync('sh', ['-c', 'nginx -v 2>&1'], { encoding: 'utf8' }))?.[0]
  return [
    `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    process.platform,
    `Node ${process.version}`,
    ...versions,
    nginx ?? 'no nginx',
    new Date().toISOString().slice(0, 10),
  ].join(', ')
}
