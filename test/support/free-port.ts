import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The first of `count` consecutive ports. Below the kernel's ephemeral range, and reserved until this process ends: a
 * service takes seconds to start, and other tests, also of other runs, look for ports meanwhile.
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(20_000, 32_000)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if ((await Promise.all(ports.map(reserve))).every(Boolean)) return first
  }
}

/** False if the port is reserved or in use. A UDP socket reserves it: it does not prevent listening for TCP. */
async function reserve(port: number): Promise<boolean> {
  const reservation = createSocket('udp4').bind(port, '127.0.0.1').unref()
  const server = createServer().listen(port, '127.0.0.1')
  const results = await Promise.allSettled([once(reservation, 'listening'), once(server, 'listening')])
  const isFree = results.every(({ status }) => status === 'fulfilled')
  if (!isFree) reservation.close()
  await new Promise((resolve) => server.close(resolve))
  return isFree
}
