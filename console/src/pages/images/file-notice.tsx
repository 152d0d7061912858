import type { ReactNode } from 'react'
import { imagePath } from '../../parts/image-path.ts'

interface Props {
  readonly summary: string
  /** `isServed`: the name is a link to the file. */
  readonly files: readonly { readonly name: string; readonly isServed: boolean; readonly reason: string }[]
  /** Of all of them, of which `files` may be a part. */
  readonly count: number
  readonly children: ReactNode
}

/** Files that are not as they should be, each with the reason; nothing is shown if there are none. */
export const FileNotice = ({ summary, files, count, children }: Props) =>
  count > 0 && (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} {summary}
      </summary>
      {children}
      <ul>
        {files.map(({ name, isServed, reason }) => (
          <li key={name}>
            {isServed ? (
              <a href={imagePath(name)} target="_blank" rel="noreferrer">
                <bdi>{name}</bdi>
              </a>
            ) : (
              <bdi>{name}</bdi>
            )}
            : {reason}
          </li>
        ))}
      </ul>
      {count > files.length && <p className="note">{files.length.toLocaleString('en')} of them are shown.</p>}
    </details>
  )
