import type { Metadata } from '../../images/admin/upload-content.ts'
import { cutOffText } from '../../images/end-check.ts'
import type { Kind } from '../../images/kinds.ts'
import { counted, inBytes } from '../amounts.ts'
import { table } from '../output.ts'
import type { DescribeReport } from './describe-images.ts'

interface ImportedImage {
  readonly file: string
  /** The object key. */
  readonly name: string
  readonly type: string
  readonly bytes: number
}

type WithReason = { readonly file: string; readonly reason: string }

export type ImportReport = ReturnType<typeof importReport>

/** The outcome of each file. Keeps the names of imported images only if they are reported. */
export function importReport({ kind, dryRun }: { readonly kind: Kind; readonly dryRun: boolean }, isJson: boolean) {
  const images: ImportedImage[] = []
  const cutOff: string[] = []
  const skipped: WithReason[] = []
  const failed: WithReason[] = []
  const count = { imported: 0, bytes: 0, present: 0, metadataKept: 0 }
  const state = { isInterrupted: false, givenUp: null as string | null }
  let details: DescribeReport | null = null

  /** Files were processed in parallel; the report is sorted. */
  const sort = () => {
    cutOff.sort()
    for (const list of [images, skipped, failed]) list.sort((one, other) => (one.file < other.file ? -1 : 1))
  }

  function lines(): string {
    const rows = [
      ...(dryRun
        ? images.map(({ file, name, type, bytes }) => ['would import', file, name, type, inBytes(bytes)])
        : []),
      ...cutOff.map((file) => ['incomplete', file, cutOffText]),
      ...skipped.map(({ file, reason }) => ['skipped', file, reason]),
      ...failed.map(({ file, reason }) => ['failed', file, reason]),
    ]
    const sum = [
      `${dryRun ? 'would import' : 'imported'} ${counted(count.imported, 'image')} as ${kind} (${inBytes(count.bytes)})`,
      `${count.present.toLocaleString('en')} already present`,
      `${skipped.length.toLocaleString('en')} skipped`,
      `${failed.length.toLocaleString('en')} failed`,
    ].join(', ')
    const kept = `${counted(count.metadataKept, 'image')} with their metadata, which is only removed from JPEG, PNG and WebP.`
    const note = [
      ...(cutOff.length > 0
        ? [`${counted(cutOff.length, 'file')} among them ${cutOff.length === 1 ? 'ends' : 'end'} early.`]
        : []),
      ...(count.metadataKept > 0 ? [`Of these, ${kept}`] : []),
    ]
    return [...rows.map(rowOf), `${sum.charAt(0).toUpperCase()}${sum.slice(1)}.`, ...note, ...detailLines()].join('\n')
  }

  function detailLines(): string[] {
    if (details === null) return []
    const { described, unchanged, failed: bad } = details
    const rows = bad.map(({ row, name, reason }) => rowOf(['failed', `row ${row}`, name, reason]))
    return [
      ...rows,
      `Described ${counted(described, 'image')}, ${unchanged} already so, ${counted(bad.length, 'row')} failed.`,
    ]
  }

  return {
    imported(image: ImportedImage, metadata?: Metadata): void {
      if (metadata === 'kept') count.metadataKept++
      count.imported++
      count.bytes += image.bytes
      if (isJson || dryRun) images.push(image)
    },
    /** Stored like any other. */
    cutOff: (file: string) => void cutOff.push(file),
    present(): void {
      count.present++
    },
    skipped: (file: string, reason: string) => void skipped.push({ file, reason }),
    failed: (file: string, reason: string) => void failed.push({ file, reason }),
    end(isInterrupted: boolean, givenUp: string | null): void {
      state.isInterrupted = isInterrupted
      state.givenUp = givenUp
      sort()
    },
    described(report: DescribeReport): void {
      details = report
    },
    document: () => ({
      kind,
      dryRun,
      ...count,
      images,
      cutOff,
      skipped,
      failed,
      ...(details && { details }),
      ...state,
    }),
    lines,
    /** Null if nothing failed. */
    failure(): string | null {
      if (state.givenUp !== null) return state.givenUp
      const how = counted(failed.length, 'file')
      if (failed.length > 0) return `${how} could not be imported; run the same command again to retry them.`
      const bad = details?.failed.length ?? 0
      return bad === 0
        ? null
        : `${counted(bad, 'row')} of the details failed; correct them, and run the same command again.`
    },
  }
}

/** Not aligned, because of long file names. */
const rowOf = (cells: readonly string[]) => table([cells])
