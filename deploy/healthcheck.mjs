import { get } from 'node:http'

/* HEALTHCHECK of the image: exits with 0 if the API of this container answers, or with the argument `worker` its status worker. */

const { PORT = '3000', STATUS_PORT = '3001' } = process.env
const url = process.argv[2] === 'worker' ? `http://127.0.0.1:${STATUS_PORT}/livez` : `http://127.0.0.1:${PORT}/health`

const fail = (reason) => {
  process.stderr.write(`${url}: ${reason}\n`)
  process.exit(1)
}
get(url, { timeout: 4_000 }, ({ statusCode }) => (statusCode === 200 ? process.exit() : fail(statusCode)))
  .on('timeout', () => fail('no reply within 4 s'))
  .on('error', ({ message }) => fail(message))
