import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the kernel's ephemeral range, so that nobody takes it before the service does. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
