import { useNavigate } from '@tanstack/react-router'
import { minSides } from '../../../../src/images/shapes/choices.ts'
import { Select } from '../../parts/field.tsx'
import { orientationOptions } from '../../parts/orientations.ts'
import { type ImageSearch, readImageSearch } from './search.ts'

const sides = [['', 'Any'], ...minSides.map((side) => [String(side), `${side} px`] as const)] as const

const filters = [
  [
    'sort',
    'Sort',
    [
      ['', 'By name'],
      ['newest', 'Newest first'],
    ],
  ],
  ['orientation', 'Orientation', orientationOptions],
  [
    'animated',
    'Animation',
    [
      ['', 'Any'],
      ['true', 'Animated'],
      ['false', 'Not animated'],
    ],
  ],
  ['minWidth', 'Minimum width', sides],
  ['minHeight', 'Minimum height', sides],
] as const

interface Props {
  readonly kind: string
  readonly search: ImageSearch
}

export function Filters({ kind, search }: Props) {
  const navigate = useNavigate()
  return (
    <search className="filters">
      {filters.map(([name, label, options]) => (
        <Select
          key={name}
          label={label}
          value={String(search[name] ?? '')}
          options={options}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              to: '/images',
              search: (known: ImageSearch) => readImageSearch({ ...known, kind, [name]: value }),
              replace: true,
            })
          }
        />
      ))}
    </search>
  )
}
