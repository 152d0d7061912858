import { useEffect, useState } from 'react'
import { ChooseFiles } from '../../uploads/choose-files.tsx'
import { addUploads } from '../../uploads/queue.ts'
// Shown by console.tsx; imported here so that it is loaded even when the service is unavailable.
import '../../uploads/uploads.tsx'

/** Adds files that are chosen, or dropped anywhere on the page, which says so while they are over it. */
export function AddFiles({ kind }: { readonly kind: string }) {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      setIsOver(false)
      const files = event.dataTransfer?.files
      if (!files || files.length === 0) return
      event.preventDefault()
      addUploads(files, kind)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [kind])
  return (
    <>
      <ChooseFiles kind={kind} look="is-main">
        <span>
          Upload to <bdi>{kind}</bdi>
        </span>
      </ChooseFiles>
      {isOver && (
        <div className="drop">
          <p>
            Drop to add to <bdi>{kind}</bdi>
          </p>
        </div>
      )}
    </>
  )
}
