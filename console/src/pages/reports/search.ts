export interface ReportSearch {
  readonly state?: 'open' | 'closed'
}

export const readReportSearch = ({ state }: Record<string, unknown>): ReportSearch =>
  state === 'closed' || state === 'open' ? { state } : {}
