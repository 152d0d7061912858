import { Time } from './time.tsx'

interface Props {
  readonly createdAt: string
  readonly lastUsedAt: string
}

/** The service notes the minute, so the first use would seem to come before the creation. */
export const LastUse = ({ createdAt, lastUsedAt }: Props) => (
  <Time at={lastUsedAt < createdAt ? createdAt : lastUsedAt} />
)
