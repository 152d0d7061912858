/** Importing node:http evaluates its WebSocket client and undici, too: 6 MB and 18 ms of every start. */
export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
