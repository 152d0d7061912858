// npm runs this after `npm install` in a checkout. Without the development dependencies the console is left out.
const vite = await import('vite').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
})
await vite?.build({ configFile: new URL('vite.config.ts', import.meta.url).pathname, logLevel: 'warn' })
