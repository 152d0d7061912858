import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../../client/src/client.ts'
import { sizeText } from '../../parts/size.ts'
import type { ImageSearch } from './search.ts'

interface Props {
  readonly kinds: readonly Schemas['KindSummary'][]
  readonly present: string | undefined
  readonly search: ImageSearch
}

export const KindTabs = ({ kinds, present, search }: Props) => (
  <nav aria-label="Kinds">
    <ul className="kinds">
      {kinds.map(({ kind, count, bytes }) => (
        <li key={kind}>
          <Link
            to="/images"
            search={{ ...search, kind }}
            title={`${count.toLocaleString('en')} ${count === 1 ? 'image' : 'images'}, ${sizeText(bytes)}`}
            {...(kind === present && { 'aria-current': 'true' as const })}
            activeProps={{}}
          >
            <bdi>{kind}</bdi>{' '}
            <span className="note">
              {count.toLocaleString('en')}
              <span className="hidden"> {count === 1 ? 'image' : 'images'}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
