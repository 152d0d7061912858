import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'
import { type Balancer, haproxy, nginx } from './balancer-programs.ts'
import { freePort } from './free-port.ts'
import { spawn } from './spawn.ts'
import { testFolder } from './test-folder.ts'
import { until } from './until.ts'

export const balancers = [nginx, haproxy]

/** Balances requests among these ports, over kept-alive connections; returns its own port. */
export async function startBalancer(balancer: Balancer, backends: readonly number[]): Promise<number> {
  const folder = testFolder()
  const port = await freePort()
  const file = join(folder, 'balancer.conf')
  writeFileSync(file, balancer.configuration({ folder, port, backends }))
  const child = spawn(balancer.program, balancer.arguments(file, folder), {
    cwd: folder,
    stdio: ['ignore', 'inherit', balancer.isNoisy ? 'ignore' : 'inherit'],
    env: { ...process.env, HOME: folder },
  })
  atEnd(async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  })
  await until(() => accepts(child, port), `${balancer.name} listens`)
  return port
}

async function accepts(child: ChildProcess, port: number): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`)
  const socket = connect({ port, host: '127.0.0.1' })
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
