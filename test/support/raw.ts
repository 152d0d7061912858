import { connect } from 'node:net'

/** Sends these bytes as they are and answers everything that came back until the connection closed, or went quiet. */
export function sendRaw(port: number, bytes: string | Uint8Array, { quietMs = 300 } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Uint8Array[] = []
    const finish = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.setTimeout(quietMs, finish)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)))
    socket.write(bytes)
  })
}
