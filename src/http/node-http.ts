/** Importing node:http also evaluates its WebSocket client and undici: 6 MB and 18 ms at every start. */
export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
