import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { minSides } from '../../../../src/images/shapes/choices.ts'
import { Select } from '../../parts/field.tsx'
import { orientationOptions } from '../../parts/orientations.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { type ImageSearch, readImageSearch } from './search.ts'

const sides = [['', 'Any'], ...minSides.map((side) => [String(side), `${side} px`] as const)] as const
const sorts = [
  ['', 'By name'],
  ['newest', 'Newest first'],
] as const

const filters = [
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
  const set = (name: keyof ImageSearch, value: string) =>
    void navigate({
      to: '/images',
      search: (known: ImageSearch) => readImageSearch({ ...known, kind, [name]: value }),
      replace: true,
    })
  const used = filters.filter(([name]) => search[name] !== undefined).length
  const [isOpen, setIsOpen] = useState(used > 0)
  return (
    <search>
      <div className="filters">
        <SearchField label="Name or tag" value={search.q ?? ''} onChange={(text) => set('q', text.trim())} />
        <Select
          label="Sort"
          value={search.sort ?? ''}
          options={sorts}
          onChange={({ currentTarget: { value } }) => set('sort', value)}
        />
      </div>
      <details className="more-filters" open={isOpen} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
        <summary>{used === 0 ? 'More filters' : `More filters (${used} in use)`}</summary>
        <div className="filters">
          {filters.map(([name, label, options]) => (
            <Select
              key={name}
              label={label}
              value={String(search[name] ?? '')}
              options={options}
              onChange={({ currentTarget: { value } }) => set(name, value)}
            />
          ))}
        </div>
      </details>
    </search>
  )
}
