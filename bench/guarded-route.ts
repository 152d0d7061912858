import { get } from './connection.ts'
import { compete, printContest, type Rounds, ratioGate, withBaseline } from './contest.ts'
import type { Gate } from './figures.ts'
import { registerPeople } from './people.ts'
import { startApi } from './server.ts'

export async function benchGuardedRoute({ folder, ...rounds }: Rounds & { readonly folder: string }): Promise<Gate[]> {
  const server = await startApi(folder)
  const [person] = await registerPeople(server.port, 1)
  const request = get('/auth/me', { Authorization: person?.accessToken ?? '' })
  const [bare, own] = await withBaseline(folder, 'GET /auth/me', server, request)
  try {
    await compete([bare, own], rounds)
  } finally {
    await Promise.all([bare, own].map((one) => one.server.stop()))
  }
  printContest(`A guarded route, ${own.bytes} bytes`, [bare, own], rounds)
  return [ratioGate([bare, own], { promise: own.name, of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 })]
}
