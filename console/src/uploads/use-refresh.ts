import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { current, isUnderWay, useUploads } from './store.ts'

const quietMs = 500
/** During uploads: the grid may show thousands of images, with one request per page. */
const busyMs = 15_000

/** Refreshes what the page shows of images after uploads, but not after each one of many. */
export function useRefresh(): void {
  const queries = useQueryClient()
  const { stored, list } = useUploads()
  const isBusy = list.some(isUnderWay)
  const [shown, setShown] = useState(stored)
  const isBehind = stored !== shown
  useEffect(() => {
    if (!isBehind) return undefined
    const timer = setTimeout(
      () => {
        setShown(current().stored)
        for (const key of ['kinds', 'images', 'set-aside', 'problems', 'duplicates'])
          void queries.invalidateQueries({ queryKey: [key] })
      },
      isBusy ? busyMs : quietMs,
    )
    return () => clearTimeout(timer)
  }, [isBehind, isBusy, queries])
}
