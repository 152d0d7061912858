import type { ReactNode } from 'react'
import type { Schemas } from '../../../client/src/client.ts'
import { LastUse } from './last-use.tsx'
import { TableFrame } from './table-frame.tsx'
import { Time } from './time.tsx'

type Key = Schemas['ApiKey']

interface Props {
  readonly keys: readonly Key[]
  /** The actions for each key. */
  readonly children: (key: Key) => ReactNode
}

export const KeyTable = ({ keys, children }: Props) => (
  <TableFrame label="API keys" isWide>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Scopes</th>
        <th scope="col">Created</th>
        <th scope="col">Expires</th>
        <th scope="col">Last used</th>
        <th scope="col" className="is-number">
          Requests
        </th>
        <th scope="col">Actions</th>
      </tr>
    </thead>
    <tbody>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row" className="is-name" dir="auto">
            {key.name}
          </th>
          <td>
            {key.scopes.join(', ')}
            {key.limitPerMinute !== null && (
              <div className="note">{key.limitPerMinute.toLocaleString('en')} requests a minute</div>
            )}
          </td>
          <td>
            <Time at={key.createdAt} />
          </td>
          <td>{key.expiresAt ? <Time at={key.expiresAt} /> : 'never'}</td>
          <td>{key.lastUsedAt ? <LastUse createdAt={key.createdAt} lastUsedAt={key.lastUsedAt} /> : 'never'}</td>
          <td className="is-number">{key.requests.toLocaleString('en')}</td>
          <td>{children(key)}</td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)
